#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace transformer {

/// A broken rule that ties several keys together, or that a Range cannot express.
struct BrokenRule {
  std::vector<std::string> keys;  // those that the rule is about; the message begins with the first one
  std::string message;            // "model.h does not divide d_model: 512 / 7"
};

/// All broken rules, in the order of the keys.
std::vector<BrokenRule> find_broken_rules(const Config& config);
/// The broken rules about the architecture, which prevent building a network.
std::vector<BrokenRule> find_broken_model_rules(const Config& config);

}  // namespace transformer

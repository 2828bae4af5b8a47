#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "settings/settings.h"

namespace transformer {

/// All broken rules, in the order of the keys.
std::vector<BrokenRule> find_broken_rules(const Config& config);
/// The broken rules about the architecture, which prevent building a network.
std::vector<BrokenRule> find_broken_model_rules(const Config& config);
/// The broken rules about the numbers of values that the keys of corpora and of validation sets have, which prevent
/// making structs of them.
std::vector<BrokenRule> find_broken_list_rules(const Settings& settings);

}  // namespace transformer

#pragma once

#include "config/config.h"

namespace transformer {

/// Calls `visit("model", config.model)` and the same for each other section of the config.
template <class Visitor>
void visit_sections(Config& config, Visitor visit) {
  visit("model", config.model);
  visit("data", config.data);
  visit("training", config.training);
  visit("decoding", config.decoding);
}

}  // namespace transformer

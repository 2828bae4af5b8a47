#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "import/json_settings.h"

namespace transformer {

/// A setting of another program's search that is not imported, because translations here ask for it or cannot have it.
struct OtherSetting {
  const char* key;
  std::vector<Json> idle = {};  // values without effect, besides null, false and what is empty
  std::string instead = {};     // the parameter of translations here that does the same, with its value: "min_length 3"
};

/// Warns of each setting whose value has an effect.
void warn_of_other_settings(const JsonSettings& settings, const std::vector<OtherSetting>& others);

}  // namespace transformer

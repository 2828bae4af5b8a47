#include "import/other_settings.h"

#include <algorithm>

#include "base/format.h"
#include "base/log.h"

namespace transformer {

void warn_of_other_settings(const JsonSettings& settings, const std::vector<OtherSetting>& others) {
  for (const OtherSetting& other : others) {
    const Json* value = settings.find(other.key);
    if (value == nullptr || value->empty() || *value == Json(false) || *value == Json("")) continue;
    if (std::find(other.idle.begin(), other.idle.end(), *value) != other.idle.end()) continue;
    if (other.instead.empty()) {
      log_warning("{}: '{}' is {}, which is not imported, so that other translations may be found", settings.path(),
                  other.key, shown_value(json_text(*value)));
    } else {
      log_warning("{}: '{}' is {}, which is not imported; translate with {} for the same", settings.path(), other.key,
                  shown_value(json_text(*value)), other.instead);
    }
  }
}

}  // namespace transformer

#include "config/key_list.h"

#include <fmt/core.h>

#include "config/config.h"
#include "config/range.h"

namespace transformer {

std::string KeyDescription::accepted() const {
  if (!range.empty()) return fmt::format("{}, {}{}", type, range, nullable ? ", or null" : "");
  return type + (nullable ? " or null" : "");
}

std::vector<KeyDescription> describe_keys() {
  std::vector<KeyDescription> keys;
  Config defaults;
  for (const Field& field : config_fields(defaults)) {
    const Range* range = range_of(field.name);
    keys.push_back({.name = field.name,
                    .type = field.type,
                    .is_text = field.is_text,
                    .nullable = field.nullable,
                    .range = range == nullptr ? "" : range->text(),
                    .default_value = field.get(),
                    .meaning = field.help});
  }
  return keys;
}

}  // namespace transformer

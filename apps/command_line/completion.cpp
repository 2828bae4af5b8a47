#include "command_line/completion.h"

#include <algorithm>

#include "config/config.h"

namespace transformer {

std::vector<std::string> completed_values(const OptionDescription& option) {
  if (option.value != ValueKind::assignment) return option.choices;
  std::vector<std::string> keys;
  for (const Key& key : config_schema().keys()) keys.push_back(key.name + "=");
  return keys;
}

bool takes_file_lists(const CommandDescription& command) {
  return std::any_of(command.options.begin(), command.options.end(), [](const OptionDescription& option) {
    return option.takes_list && option.value == ValueKind::file;
  });
}

}  // namespace transformer

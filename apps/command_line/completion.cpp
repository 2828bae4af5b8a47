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

std::vector<std::string> command_paths(const CommandDescription& program) {
  std::vector<std::string> paths;
  for (const CommandDescription* command : all_commands(program)) {
    const bool is_nested = command->name.find(' ') != std::string::npos;
    if (!command->name.empty()) paths.push_back(is_nested ? command->name : " " + command->name);
  }
  return paths;
}

bool takes_file_lists(const CommandDescription& command) {
  return std::any_of(command.options.begin(), command.options.end(), [](const OptionDescription& option) {
    return option.takes_list && option.value == ValueKind::file;
  });
}

}  // namespace transformer

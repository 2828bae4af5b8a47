#include "command_line/find_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/format.h"
#include "base/similar_names.h"
#include "command_line/command_description.h"
#include "config/config.h"
#include "config/unknown_key.h"
#include "settings/fields.h"
#include "settings/foreign_names.h"

namespace transformer {
namespace {

std::vector<std::string> names_of_commands(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* below : command.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(below->get_name());
  }
  return names;
}

std::vector<std::string> names_of_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// "there is no command 'trian'; did you mean 'train'?", or where the help is if no name is similar.
std::string explain_unknown(const CLI::App& command, const std::string& kind, const std::string& word,
                            const std::vector<std::string>& names) {
  const auto similar = similar_names(word, names);
  return fmt::format("there is no {} '{}'; {}", kind, shown_value(word),
                     similar.empty() ? fmt::format("see {} --help", call_of(command_name(command)))
                                     : fmt::format("did you mean {}?", alternatives(similar)));
}

std::string explain_unknown_command(const CLI::App& command, const std::string& word) {
  return explain_unknown(command, "command", word, names_of_commands(command));
}

/// "--top-k" for "top_k".
std::string option_called(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

std::string suggest(const std::string& option, const std::string& own, const std::string& remark) {
  return fmt::format("there is no option '{}'; did you mean '{}'{}?", shown_value(option), own, in_parentheses(remark));
}

/// The message about an option that the command lacks, if it is an option of another toolkit or the name of a config
/// key, here or in another toolkit: names the command's own option with this meaning, or --set with the key. Empty if
/// the command has neither.
std::string explain_key(const CLI::App& command, const std::string& option) {
  std::vector<std::string> all_keys;
  for (const Key& key : config_schema().keys()) all_keys.push_back(key.name);
  const auto options = names_of_options(command);
  const auto has_option = [&](const std::string& name) {
    return std::find(options.begin(), options.end(), name) != options.end();
  };
  const size_t begin = option.find_first_not_of('-');
  if (begin == std::string::npos) return "";
  if (const ForeignName* foreign = find_foreign_name(foreign_options(), option)) {
    const std::string own = option_called(foreign->key);
    if (has_option(own)) return suggest(option, own, foreign->remark);
  }
  const MeantKeys meant = keys_called(option.substr(begin), all_keys);
  for (const std::string& key : meant.keys) {
    const std::string own = option_called(last_part(key));
    if (has_option(own)) return suggest(option, own, meant.remark);
  }
  if (meant.keys.empty() || !has_option("--set")) return "";
  return fmt::format("there is no option '{}'; give the key of the config, {}{}, with --set KEY=VALUE",
                     shown_value(option), alternatives(meant.keys), in_parentheses(meant.remark));
}

std::string explain_unexpected(const CLI::App& command, const std::string& argument) {
  if (argument.starts_with("-")) {
    const std::string option = argument.substr(0, argument.find('='));
    const std::string key = option.starts_with("--") ? explain_key(command, option) : "";
    return key.empty() ? explain_unknown(command, "option", option, names_of_options(command)) : key;
  }
  if (!names_of_commands(command).empty()) return explain_unknown_command(command, argument);
  return fmt::format("the argument '{}' is not expected; see {} --help", shown_value(argument),
                     call_of(command_name(command)));
}

}  // namespace

const CLI::App& find_command(const CLI::App& program, const std::vector<std::string>& name) {
  const CLI::App* command = &program;
  for (const std::string& word : name) {
    const auto found = command->get_subcommands([&](const CLI::App* below) { return below->get_name() == word; });
    if (found.empty()) throw UsageError("{}", explain_unknown_command(*command, word));
    command = found.front();
  }
  return *command;
}

std::string explain_unexpected_argument(const CLI::App& program) {
  for (const CLI::App* command = &program;;) {
    const auto unexpected = command->remaining(/*recurse=*/false);
    if (!unexpected.empty()) return explain_unexpected(*command, unexpected.front());
    if (command->get_subcommands().empty()) return "";
    command = command->get_subcommands().back();
  }
}

}  // namespace transformer

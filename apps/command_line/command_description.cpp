#include "command_line/command_description.h"

#include <fmt/core.h>

#include <utility>

#include "base/words.h"

namespace transformer {
namespace {

/// The text between the first `open` and the last `close`; empty if there is none.
std::string text_between(const std::string& text, char open, char close) {
  const size_t begin = text.find(open), end = text.rfind(close);
  return begin == std::string::npos || end == std::string::npos ? "" : text.substr(begin + 1, end - begin - 1);
}

void describe_value(const CLI::Option& option, OptionDescription& result) {
  // With its checks, the type's name is for example "INT:INT in [0 - 4096]".
  const std::string type = option.get_type_name(), name = type.substr(0, type.find(':'));
  result.value_name = option.get_option_text().empty() ? name : option.get_option_text();
  result.range = text_between(type, '[', ']');
  if (const size_t dash = result.range.find(" - "); dash != std::string::npos) result.range.replace(dash, 3, " to ");
  if (result.value_name.find('|') != std::string::npos) result.choices = split(result.value_name, '|');
  if (!result.choices.empty()) {
    result.value = ValueKind::choice;
  } else if (name == "FILE") {
    result.value = ValueKind::file;
  } else if (name == "DIR") {
    result.value = ValueKind::directory;
  } else {
    result.value = name == "SECTION.KEY=VALUE" ? ValueKind::assignment : ValueKind::text;
  }
}

/// Adds the option, the argument, or both if the value can be given either way.
void add_option(CommandDescription& command, const CLI::Option& option) {
  if (option.get_positional()) {
    command.arguments.push_back(describe_option(option));
    command.arguments.back().names = {option.get_name(/*positional=*/true)};
    command.arguments.back().required = option.get_required();
  }
  if (!option.nonpositional()) return;
  OptionDescription described = describe_option(option);
  for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  command.options.push_back(std::move(described));
}

}  // namespace

OptionDescription describe_option(const CLI::Option& option) {
  OptionDescription result;
  result.help = option.get_description();
  result.default_value = option.get_default_str();
  const bool may_be_argument = option.get_positional() && option.nonpositional();
  result.required = option.get_required() && !may_be_argument;
  if (option.get_items_expected_max() > 0) {
    describe_value(option, result);
    result.repeatable = option.get_expected_max() > 1;
    result.takes_list = result.repeatable && option.get_allow_extra_args();
  }
  return result;
}

std::string synopsis(const CommandDescription& command) {
  std::string text = call_of(command.name);
  const auto list = [](const OptionDescription& option) { return option.takes_list ? " ..." : ""; };
  for (const OptionDescription& option : command.options) {
    if (option.required) text += fmt::format(" {} {}{}", option.names.back(), option.value_name, list(option));
  }
  text += " [OPTIONS]";
  for (const OptionDescription& argument : command.arguments) {
    const std::string name = argument.value_name + list(argument);
    text += argument.required ? " " + name : " [" + name + "]";
  }
  return command.commands.empty() ? text : text + " COMMAND";
}

std::string call_of(const std::string& command_name) {
  return command_name.empty() ? "transformer" : "transformer " + command_name;
}

std::string last_word(const std::string& command_name) { return command_name.substr(command_name.rfind(' ') + 1); }

std::string command_name(const CLI::App& command) {
  const CLI::App* above = command.get_parent();
  if (above == nullptr) return "";
  const std::string name_above = command_name(*above);
  return name_above.empty() ? command.get_name() : name_above + " " + command.get_name();
}

CommandDescription describe_command(const CLI::App& app) {
  CommandDescription result{command_name(app), app.get_description(), {}, {}, {}};
  for (const CLI::Option* option : app.get_options()) add_option(result, *option);
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    result.commands.push_back(describe_command(*command));
  }
  return result;
}

std::vector<const CommandDescription*> all_commands(const CommandDescription& command) {
  std::vector<const CommandDescription*> result = {&command};
  for (const CommandDescription& sub_command : command.commands) {
    const auto below = all_commands(sub_command);
    result.insert(result.end(), below.begin(), below.end());
  }
  return result;
}

}  // namespace transformer

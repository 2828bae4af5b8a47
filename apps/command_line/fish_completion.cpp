#include <fmt/core.h>
#include <fmt/format.h>

#include "command_line/completion.h"

namespace transformer {
namespace {

/// The text as a word of fish, within single quotes.
std::string fish_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

/// The beginning of a call of fish's `complete` that concerns this command only.
std::string fish_complete(const CommandDescription& command) {
  return fmt::format("complete -c transformer -n '__transformer_command_is \"{}\"'", command.name);
}

/// The flags of `complete` that say what the option's value is.
std::string fish_value(const OptionDescription& option) {
  const auto values = completed_values(option);
  switch (option.value) {
    case ValueKind::none:
      return "";
    case ValueKind::file:
      return " -r -F";
    case ValueKind::directory:
      return " -x -a '(__fish_complete_directories)'";
    default:
      return values.empty() ? " -x" : fmt::format(" -x -a '{}'", fmt::join(values, " "));
  }
}

std::string fish_option(const OptionDescription& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return names + fish_value(option) + " -d " + fish_quoted(option.help);
}

std::string fish_command(const CommandDescription& command) {
  const std::string complete = fish_complete(command);
  std::string text;
  for (const CommandDescription& sub_command : command.commands) {
    const std::string word = last_word(sub_command.name);
    text += fmt::format("{} -a {} -d {}\n", complete, word, fish_quoted(sub_command.help));
  }
  for (const OptionDescription& option : command.options) text += complete + fish_option(option) + "\n";
  for (const OptionDescription& argument : command.arguments) text += complete + fish_value(argument) + "\n";
  if (takes_file_lists(command)) text += complete + " -F\n";
  return text;
}

}  // namespace

std::string fish_completion(const CommandDescription& program) {
  std::string commands, completions;
  for (const CommandDescription* command : all_commands(program)) {
    const bool is_nested = command->name.find(' ') != std::string::npos;
    if (!command->name.empty()) commands += fmt::format(" '{}{}'", is_nested ? "" : " ", command->name);
    completions += fish_command(*command);
  }
  return fmt::format(
      "# fish completion of transformer, written by `transformer completion fish`\n"
      "function __transformer_command_is\n"
      "    set -l command ''\n"
      "    for word in (commandline -opc)[2..]\n"
      "        switch \"$command $word\"\n"
      "            case{}\n"
      "                set command (string trim -- \"$command $word\")\n"
      "        end\n"
      "    end\n"
      "    test \"$command\" = \"$argv[1]\"\n"
      "end\n"
      "complete -c transformer -f\n{}",
      commands, completions);
}

}  // namespace transformer

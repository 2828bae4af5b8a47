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
  const auto flag = [](const std::string& name) {
    return name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  };
  return text_for_each(option.names, flag) + fish_value(option) + " -d " + fish_quoted(option.help);
}

std::string fish_command(const CommandDescription& command) {
  const std::string complete = fish_complete(command);
  const auto sub_command = [&](const CommandDescription& below) {
    return fmt::format("{} -a {} -d {}\n", complete, last_word(below.name), fish_quoted(below.help));
  };
  return text_for_each(command.commands, sub_command) +
         text_for_each(command.options, [&](const auto& option) { return complete + fish_option(option) + "\n"; }) +
         text_for_each(command.arguments, [&](const auto& value) { return complete + fish_value(value) + "\n"; }) +
         (takes_file_lists(command) ? complete + " -F\n" : "");
}

}  // namespace

std::string fish_completion(const CommandDescription& program) {
  return fmt::format(
      "# fish completion of transformer, written by `transformer completion fish`\n"
      "function __transformer_command_is\n"
      "    set -l command ''\n"
      "    for word in (commandline -opc)[2..]\n"
      "        switch \"$command $word\"\n"
      "            case '{}'\n"
      "                set command (string trim -- \"$command $word\")\n"
      "        end\n"
      "    end\n"
      "    test \"$command\" = \"$argv[1]\"\n"
      "end\n"
      "complete -c transformer -f\n{}",
      fmt::join(command_paths(program), "' '"),
      text_for_each(all_commands(program), [](const auto* command) { return fish_command(*command); }));
}

}  // namespace transformer

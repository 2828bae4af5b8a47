#include <fmt/core.h>
#include <fmt/format.h>

#include "command_line/completion.h"

namespace transformer {
namespace {

/// Puts a backslash before each of `characters`, and writes the text within single quotes.
std::string zsh_escaped(const std::string& text, const std::string& characters) {
  std::string escaped;
  for (const char c : text) {
    if (characters.find(c) != std::string::npos) escaped += '\\';
    escaped += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return escaped;
}

/// "trees linearize" has the function "_transformer_trees_linearize".
std::string zsh_function(const std::string& command) {
  std::string name = "_transformer" + (command.empty() ? "" : "_" + command);
  for (char& c : name) c = c == ' ' ? '_' : c;
  return name;
}

/// The part of an _arguments specification that says what the value is: ":FILE:_files".
std::string zsh_value(const OptionDescription& option) {
  const auto values = completed_values(option);
  switch (option.value) {
    case ValueKind::none:
      return "";
    case ValueKind::file:
      return ":FILE:_files";
    case ValueKind::directory:
      return ":DIR:_files -/";
    case ValueKind::assignment:
      return fmt::format(":KEY=VALUE:compadd -S \"\" -- {}", fmt::join(values, " "));
    case ValueKind::choice:
      return fmt::format(":value:({})", fmt::join(values, " "));
    case ValueKind::text:
      break;
  }
  return fmt::format(":{}: ", option.value_name);
}

/// One specification for each name of the option, which excludes its other names unless it is repeatable.
std::string zsh_option(const OptionDescription& option) {
  const std::string before = option.repeatable ? "*" : fmt::format("({})", fmt::join(option.names, " "));
  return text_for_each(option.names, [&](const std::string& name) {
    return fmt::format(" \\\n    '{}{}[{}]{}'", before, name, zsh_escaped(option.help, "[]\\"), zsh_value(option));
  });
}

/// Offers the sub-commands as the first word without an option, and continues with the function of the one chosen.
std::string zsh_sub_commands(const CommandDescription& command) {
  std::string names, branches;
  for (const CommandDescription& sub_command : command.commands) {
    const std::string word = last_word(sub_command.name);
    names += fmt::format("        '{}:{}'\n", word, zsh_escaped(sub_command.help, ""));
    branches += fmt::format("        {}) {} ;;\n", word, zsh_function(sub_command.name));
  }
  return fmt::format(
      " \\\n    '1: :->command' '*:: :->arguments'\n"
      "  case $state in\n"
      "    command)\n"
      "      names=(\n{}      )\n"
      "      _describe command names\n"
      "      ;;\n"
      "    arguments)\n"
      "      case $words[1] in\n{}      esac\n"
      "      ;;\n"
      "  esac\n",
      names, branches);
}

std::string zsh_command(const CommandDescription& command) {
  std::string text = zsh_function(command.name) + "() {\n";
  if (!command.commands.empty()) {
    text += "  local context state state_descr line names\n  typeset -A opt_args\n";
  }
  text += command.commands.empty() ? "  _arguments" : "  _arguments -C";
  text += text_for_each(command.options, zsh_option);
  text += text_for_each(command.arguments, [](const OptionDescription& argument) {
    return fmt::format(" \\\n    '{}{}'", argument.takes_list ? "*" : "1", zsh_value(argument));
  });
  if (takes_file_lists(command) && command.arguments.empty()) text += " \\\n    '*:FILE:_files'";
  return text + (command.commands.empty() ? "\n" : zsh_sub_commands(command)) + "}\n";
}

}  // namespace

std::string zsh_completion(const CommandDescription& program) {
  // An autoloaded file is the function itself; a sourced one only defines it.
  return "#compdef transformer\n# zsh completion of transformer, written by `transformer completion zsh`\n" +
         text_for_each(all_commands(program), [](const auto* command) { return zsh_command(*command); }) +
         "if [[ $funcstack[1] == _transformer ]]; then _transformer \"$@\"; else compdef _transformer transformer; "
         "fi\n";
}

}  // namespace transformer

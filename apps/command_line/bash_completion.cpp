#include <fmt/core.h>
#include <fmt/format.h>

#include "command_line/completion.h"

namespace transformer {
namespace {

constexpr const char* kBashBegin = R"(# bash completion of transformer, written by `transformer completion bash`
_transformer() {
  local current=${COMP_WORDS[COMP_CWORD]} last=$((COMP_CWORD - 1)) command= option= i
  local kind= list= values= options=
  COMPREPLY=()

  # bash makes a separate word of each "=": --config=FILE is three words.
  if [[ $current == "=" ]]; then
    current=
    [[ ${COMP_WORDS[last]} == -* ]] || return
  elif [[ ${COMP_WORDS[last]} == "=" ]]; then
    ((--last))
    [[ ${COMP_WORDS[last]} == -* ]] || return
  fi

  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${COMP_WORDS[i]}" in
)";

constexpr const char* kBashOptions = R"( command="${command:+$command }${COMP_WORDS[i]}" ;;
    esac
  done
  # The last option before the current word, and what follows it.
  for ((i = last; i > 0; --i)); do
    [[ ${COMP_WORDS[i]} != -?* ]] || { option=${COMP_WORDS[i]}; break; }
  done
  case "$command $option" in
)";

constexpr const char* kBashCommands = R"(  esac
  # Only a list has more than one value, and an option ends it.
  [[ $i -eq $last || ( -n $list && $current != -* ) ]] || kind=

  if [[ -z $kind ]]; then
    case "$command" in
)";

constexpr const char* kBashEnd = R"(    esac
    [[ $current != -* && -n $kind ]] || kind=choice values=$options
  fi
  case $kind in
    choice) mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current") ;;
    assignment)
      compopt -o nospace 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
      ;;
    file)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      ;;
    directory)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      ;;
  esac
}
complete -F _transformer transformer
)";

const char* bash_kind(ValueKind value) {
  switch (value) {
    case ValueKind::choice:
      return "choice";
    case ValueKind::file:
      return "file";
    case ValueKind::directory:
      return "directory";
    case ValueKind::assignment:
      return "assignment";
    default:
      return "text";
  }
}

/// Assignments to the script's variables `kind` and `values`.
std::string bash_values(const OptionDescription& option) {
  const auto values = completed_values(option);
  std::string text = fmt::format("kind={}", bash_kind(option.value));
  if (!values.empty()) text += fmt::format(" values=\"{}\"", fmt::join(values, " "));
  return text;
}

/// The branch of an option with a value.
std::string bash_option(const CommandDescription& command, const OptionDescription& option) {
  if (option.value == ValueKind::none) return "";
  return fmt::format("    \"{0} {1}\") {2}{3} ;;\n", command.name,
                     fmt::join(option.names, fmt::format("\" | \"{} ", command.name)), bash_values(option),
                     option.takes_list ? " list=1" : "");
}

/// The branch for words of the command that belong to no option.
std::string bash_words(const CommandDescription& command) {
  std::vector<std::string> options, commands;
  for (const OptionDescription& option : command.options) {
    options.insert(options.end(), option.names.begin(), option.names.end());
  }
  for (const CommandDescription& sub_command : command.commands) {
    commands.push_back(last_word(sub_command.name));
  }
  std::string text = fmt::format("      \"{}\")\n        options=\"{}\"\n", command.name, fmt::join(options, " "));
  if (!commands.empty()) text += fmt::format("        kind=choice values=\"{}\"\n", fmt::join(commands, " "));
  if (!command.arguments.empty()) text += fmt::format("        {}\n", bash_values(command.arguments.front()));
  return text + "        ;;\n";
}

}  // namespace

std::string bash_completion(const CommandDescription& program) {
  const auto commands = all_commands(program);
  const auto options_of = [](const CommandDescription* command) {
    return text_for_each(command->options, [&](const auto& option) { return bash_option(*command, option); });
  };
  return fmt::format("{}      \"{}\"){}{}{}{}{}", kBashBegin, fmt::join(command_paths(program), "\" | \""),
                     kBashOptions, text_for_each(commands, options_of), kBashCommands,
                     text_for_each(commands, [](const auto* command) { return bash_words(*command); }), kBashEnd);
}

}  // namespace transformer

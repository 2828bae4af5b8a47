#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace transformer {

/// What follows an option. A file, a directory and an assignment to a config key are recognized by the type names FILE,
/// DIR and SECTION.KEY=VALUE.
enum class ValueKind { none, text, choice, file, directory, assignment };

/// An option, flag or positional argument of a command, as help texts and completion scripts show it. A value whose
/// option may be left out, such as train's `--config FILE`, is described twice: as an option and as an argument.
struct OptionDescription {
  std::vector<std::string> names;  // "-o", "--output"; of a positional argument only its name, "run_directory"
  ValueKind value = ValueKind::none;
  std::string value_name;            // "FILE", "fp32|bf16"; empty for a flag
  std::vector<std::string> choices;  // of ValueKind::choice
  std::string range;                 // of numbers: "1 to 4096"; may be empty
  std::string default_value;         // may be empty
  std::string help;
  bool required = false;
  bool repeatable = false;  // may be given several times
  bool takes_list = false;  // takes several values at once
};

/// A command and its sub-commands.
struct CommandDescription {
  std::string name;  // as command_name() returns it
  std::string help;
  std::vector<OptionDescription> options, arguments;
  std::vector<CommandDescription> commands;
};

/// How a command with this name is called: "transformer trees linearize".
std::string call_of(const std::string& command_name);
/// The name without those of the commands above it: "linearize".
std::string last_word(const std::string& command_name);

/// The command's name with the commands above it but without the program: "trees linearize"; empty for the program.
std::string command_name(const CLI::App& command);

/// Describes the option without its names. One whose value may also be given as an argument is not required.
OptionDescription describe_option(const CLI::Option& option);

/// How the command is called: "transformer train [OPTIONS] FILE".
std::string synopsis(const CommandDescription& command);

/// Describes the command, or the whole program, with all commands below it, as CLI11 knows them.
CommandDescription describe_command(const CLI::App& command);

/// The command and all commands below it, in the order of the help text.
std::vector<const CommandDescription*> all_commands(const CommandDescription& command);

}  // namespace transformer

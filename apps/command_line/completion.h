#pragma once

#include <string>

#include "command_line/command_description.h"

namespace transformer {

// Completion scripts of the program. They complete commands, options, names that an option accepts, files, directories,
// and the keys of --set.

/// For /usr/share/bash-completion/completions/transformer, or to be sourced.
std::string bash_completion(const CommandDescription& program);
/// For a file _transformer in a directory of $fpath.
std::string zsh_completion(const CommandDescription& program);
/// For ~/.config/fish/completions/transformer.fish, or to be sourced.
std::string fish_completion(const CommandDescription& program);

/// The values that the scripts offer after the option: its choices, or the keys of the config with "=".
std::vector<std::string> completed_values(const OptionDescription& option);

/// Whether one of the command's options takes a list of files, so that words without an option may be files.
bool takes_file_lists(const CommandDescription& command);

}  // namespace transformer

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

/// The texts that `text_of` writes for each of the items, one after the other.
template <class Items, class TextOf>
std::string text_for_each(const Items& items, TextOf text_of) {
  std::string text;
  for (const auto& item : items) text += text_of(item);
  return text;
}

/// The commands with the names of those above them, as the bash and fish scripts tell them apart while they read the
/// words of a command line: " trees", "trees linearize".
std::vector<std::string> command_paths(const CommandDescription& program);

/// Whether one of the command's options takes a list of files, so that words without an option may be files.
bool takes_file_lists(const CommandDescription& command);

}  // namespace transformer

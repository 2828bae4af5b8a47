#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace transformer {

/// The command with this name, such as {"trees", "linearize"}; the program itself without a name. Throws UsageError
/// with the names that may be meant if there is none.
const CLI::App& find_command(const CLI::App& program, const std::vector<std::string>& name);

/// Explains the first argument of a parsed command line that is no command, option or value: "there is no command
/// 'trian'; did you mean 'train'?". Empty if there is none.
std::string explain_unexpected_argument(const CLI::App& program);

}  // namespace transformer

#pragma once

#include <string>
#include <vector>

namespace transformer {

/// Throws UsageError if more than one of the paths is "-", which stands for the `stream` "stdin" or "stdout".
void check_single_stream(const std::vector<std::string>& paths, const std::string& stream);

/// Throws UsageError if the output is one of the input files, which it would replace.
void check_replaces_no_input(const std::string& output, const std::vector<std::string>& inputs);

/// Throws the Error that stdout cannot be written.
[[noreturn]] void throw_stdout_error();

}  // namespace transformer

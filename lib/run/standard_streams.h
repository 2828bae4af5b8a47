#pragma once

#include <string>
#include <vector>

namespace transformer {

/// Throws UsageError if more than one of the paths is "-", which stands for the `stream` "stdin" or "stdout".
void check_single_stream(const std::vector<std::string>& paths, const std::string& stream);

/// Throws the Error that stdout cannot be written.
[[noreturn]] void throw_stdout_error();

}  // namespace transformer

#include "run/standard_streams.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.h"

namespace transformer {

void check_single_stream(const std::vector<std::string>& paths, const std::string& stream) {
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    throw UsageError("'-' is given for more than one file, but there is only one {}; name the other files", stream);
  }
}

void check_replaces_no_input(const std::string& output, const std::vector<std::string>& inputs) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(output, unknown)) return;  // a terminal, for example
  for (const std::string& input : inputs) {
    if (!std::filesystem::equivalent(output, input, unknown)) continue;
    throw UsageError("{}: is an input and would be replaced; write to another file", output);
  }
}

void throw_stdout_error() {
  throw Error(
      "stdout: cannot be written (its reader has gone, or the disk is full); write to a file, or free some space, "
      "and run the same command again");
}

}  // namespace transformer

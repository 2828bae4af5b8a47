#include "run/command_files.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/error.h"
#include "base/line_reader.h"

namespace transformer {

void check_single_stream(const std::vector<std::string>& paths, const std::string& stream) {
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    throw UsageError("'-' is given for more than one file, but there is only one {}; name the other files", stream);
  }
}

void check_are_different(const std::vector<std::string>& paths, const std::string& where) {
  std::set<std::string> files;
  for (const auto& path : paths) {
    if (path.empty()) continue;
    std::error_code unknown;
    const auto file = std::filesystem::weakly_canonical(std::filesystem::absolute(path), unknown);
    if (files.insert(file).second) continue;
    throw UsageError("{}: {} is given twice; name different files", where, path);
  }
}

void check_replaces_no_input(const std::string& output, const std::vector<std::string>& inputs) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(output, unknown)) return;  // a terminal, for example
  for (const auto& input : inputs) {
    if (!std::filesystem::equivalent(output, TextPath(input).file, unknown)) continue;
    throw UsageError("{}: is an input and would be replaced; write to another file", output);
  }
}

}  // namespace transformer

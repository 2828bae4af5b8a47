#include "base/command_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "base/parameter_error.h"
#include "base/same_path.h"

namespace transformer {
namespace {

void check_single_stream(const std::vector<std::string>& paths, const std::string& stream) {
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    throw UsageError("'-' is given for more than one file, but there is only one {}; name the other files", stream);
  }
}

}  // namespace

void check_single_stdout(const std::vector<std::string>& paths) { check_single_stream(paths, "stdout"); }

void check_input_texts(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) files.push_back(TextPath(path).file);
  check_single_stream(files, "stdin");
  for (const std::string& path : paths) {
    if (!is_tsv_name(path) || !std::filesystem::is_regular_file(path)) continue;
    std::string line;
    if (!LineReader(path).next(line) || line.find('\t') == std::string::npos) continue;
    log_warning("{}: is read as one text, with its tabs; to read one of its columns, name it, as in {}#1", path, path);
  }
}

void check_are_different(const std::vector<std::string>& paths, const std::string& where) {
  for (auto path = paths.begin(); path != paths.end(); ++path) {
    const auto is_same = [&](const std::string& other) { return is_same_path(other, *path); };
    if (std::none_of(paths.begin(), path, is_same)) continue;
    throw ParameterError("{}: {} is given twice; give different paths", where, *path);
  }
}

void check_is_not_stdout(const std::string& output) {
  if (output == "-") throw ParameterError("'output' -: this command cannot write to stdout; give a path");
}

void check_replaces_no_input(const std::string& output, const std::vector<std::string>& inputs) {
  std::error_code unknown;
  if (output == "-" || !std::filesystem::is_regular_file(output, unknown)) return;  // stdout, or a device
  for (const auto& input : inputs) {
    if (!is_same_path(output, TextPath(input).file)) continue;
    throw UsageError("{}: is an input and would be replaced; write to another file", output);
  }
}

}  // namespace transformer

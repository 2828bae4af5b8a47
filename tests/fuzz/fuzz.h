#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace transformer {

/// Runs the parser of a target on one input; each target defines it. `Error` is an expected result. Every other
/// exception, a signal, a report of a sanitizer and a violated `require` are findings.
void fuzz(std::string_view input);

/// Runs `parse`, which may throw Error.
void allow_error(const std::function<void()>& parse);

/// Ends the process with a finding unless the property holds.
void require(bool holds);

/// A file in memory with this content, for parsers that open a file.
class InputFile {
 public:
  explicit InputFile(std::string_view content);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

}  // namespace transformer

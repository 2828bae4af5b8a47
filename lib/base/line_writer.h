#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/gzip.h"

namespace transformer {

/// Throws the Error that stdout cannot be written.
[[noreturn]] void throw_stdout_error();

/// Writes lines to stdout immediately, or to a file that appears only when it is complete, gzip-compressed if its name
/// ends in ".gz".
class LineWriter {
 public:
  /// "-" is stdout. Throws UsageError if the name is that of a file in another compression.
  explicit LineWriter(const std::string& path);

  /// Throws Error if stdout is closed or the disk is full.
  void write(const std::vector<std::string>& lines);
  void write_text(const std::string& text);
  /// Puts the complete file in its place; without this call, the destructor leaves an older file as it was. Throws
  /// Error if it cannot be written.
  void finish();

 private:
  std::optional<AtomicFile> file_;
  std::optional<GzipWriter> gzip_;
};

}  // namespace transformer

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/gzip.h"

namespace transformer {

/// Writes lines to stdout at once, or to a file that is there whole or not at all, compressed where its name ends in
/// ".gz".
class LineWriter {
 public:
  /// "-" is stdout.
  explicit LineWriter(const std::string& path);

  /// Throws Error where stdout has no reader any more, or the disk is full.
  void write(const std::vector<std::string>& lines);
  void finish();

 private:
  std::optional<AtomicFile> file_;
  std::optional<GzipWriter> gzip_;
};

}  // namespace transformer

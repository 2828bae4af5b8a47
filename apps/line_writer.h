#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"

namespace transformer {

/// Writes lines to stdout at once, or to a file that is there whole or not at all.
class LineWriter {
 public:
  /// "-" is stdout.
  explicit LineWriter(const std::string& path);

  /// Throws Error where stdout has no reader any more, or the disk is full.
  void write(const std::vector<std::string>& lines);
  void finish();

 private:
  std::optional<AtomicFile> file_;
};

}  // namespace transformer

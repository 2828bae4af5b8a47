#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/line_reader.h"

namespace transformer {

/// A line and its translation, and their number, counted from 1 through all files.
struct LinePair {
  std::string source, target;
  int64_t line;
};

/// Reads line-aligned files, one pair of files after the other, some pairs of lines at a time.
class LinePairReader {
 public:
  /// As many source files as target files, which must outlive the reader.
  LinePairReader(const std::vector<std::string>& sources, const std::vector<std::string>& targets);

  /// The next pairs, at most `limit`; none at the end. Throws Error where a file ends before its counterpart.
  std::vector<LinePair> next(size_t limit);

 private:
  const std::vector<std::string>& sources_;
  const std::vector<std::string>& targets_;
  size_t file_ = 0;  // the next to open
  std::unique_ptr<LineReader> source_, target_;
  int64_t line_ = 0;
};

}  // namespace transformer

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "text/aligned_lines.h"

namespace transformer {

/// Two texts, named as TextPath says, that are translations of each other, line by line.
struct ParallelFiles {
  std::string source, target;
};

/// A line and its translation.
struct LinePair {
  std::string source, target;
  int64_t line = 0;          // counted from 1 through all files
  size_t file = 0;           // the index of the pair of files
  int64_t line_of_file = 0;  // counted from 1
};

/// Reads pairs of line-aligned files, one pair of files after the other, in blocks of lines.
class LinePairReader {
 public:
  /// Reads at most so many lines of each file.
  explicit LinePairReader(std::vector<ParallelFiles> text, int64_t max_lines_of_file = INT64_MAX);

  /// Returns the next `limit` pairs or fewer, and none at the end. Throws Error if a file ends before its counterpart.
  std::vector<LinePair> next(size_t limit);

 private:
  std::vector<ParallelFiles> text_;
  int64_t max_lines_of_file_;
  size_t next_file_ = 0;
  std::optional<AlignedLines> files_;  // the pair of files that is being read
  int64_t line_ = 0;
};

}  // namespace transformer

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/line_reader.h"

namespace transformer {

/// Reads files side by side, of which line n of each belongs to the same sentence.
class AlignedLines {
 public:
  explicit AlignedLines(std::vector<std::string> paths);

  /// The next line of each file; false at the end. Throws Error where a file ends before another.
  bool next(std::vector<std::string>& lines);
  /// Whether `next` has something of the first file to look at without waiting; see LineReader.
  bool is_ready() const { return readers_.front()->is_ready(); }
  /// The number of the lines that `next` gave last, from 1.
  int64_t line_number() const { return line_number_; }

 private:
  std::vector<std::string> paths_;
  std::vector<std::unique_ptr<LineReader>> readers_;
  int64_t line_number_ = 0;
};

}  // namespace transformer

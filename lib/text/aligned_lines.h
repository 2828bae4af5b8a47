#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/line_reader.h"

namespace transformer {

/// Throws Error if two texts whose lines belong to the same sentences have different numbers of lines.
void check_are_parallel(const std::string& path, int64_t num_lines, const std::string& other_path,
                        int64_t num_other_lines);

/// A text as messages call it, and the name of the segment that is one of its lines (LineReader::segment_name).
struct SegmentOfText {
  std::string_view text, segment;
};

/// Throws Error if line `line` of two texts is different segments of test sets, as where their documents have another
/// order. Segments without a name fit any other.
void check_is_same_segment(int64_t line, const SegmentOfText& one, const SegmentOfText& other);

/// Reads several files in parallel, where line n of every file belongs to the same sentence.
class AlignedLines {
 public:
  explicit AlignedLines(std::vector<std::string> paths);

  /// Stores the next line of each file in `lines`; returns false at the end. Throws Error if one file ends before
  /// another, or if the lines are different segments (check_is_same_segment).
  bool next(std::vector<std::string>& lines);
  /// Whether `next` finds input in the first file without waiting; see LineReader::is_ready.
  bool is_ready() const { return readers_.front()->is_ready(); }
  /// The number of the lines that `next` returned last, counted from 1.
  int64_t line_number() const { return line_number_; }

 private:
  std::vector<std::string> paths_;
  std::vector<std::unique_ptr<LineReader>> readers_;
  int64_t line_number_ = 0;
};

}  // namespace transformer

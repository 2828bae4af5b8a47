#include "text/aligned_lines.h"

#include <optional>
#include <utility>

#include "base/error.h"
#include "base/format.h"

namespace transformer {

void check_are_parallel(const std::string& path, int64_t num_lines, const std::string& other_path,
                        int64_t num_other_lines) {
  if (num_lines == num_other_lines) return;
  throw Error("{} has {} but {} has {}; line n of both must belong to the same sentence", path,
              counted(num_lines, "line"), other_path, with_thousands(num_other_lines));
}

void check_is_same_segment(int64_t line, const SegmentOfText& one, const SegmentOfText& other) {
  if (one.segment == other.segment || one.segment.empty() || other.segment.empty()) return;
  throw Error(
      "{}:{}: is {}, but line {} of {} is {}; bring the documents of both into the same order, or give them the same "
      "ids if these alone differ",
      one.text, line, one.segment, line, other.text, other.segment);
}

AlignedLines::AlignedLines(std::vector<std::string> paths) : paths_(std::move(paths)) {
  for (const std::string& path : paths_) readers_.push_back(std::make_unique<LineReader>(path));
}

bool AlignedLines::next(std::vector<std::string>& lines) {
  std::optional<size_t> ended, continuing;
  lines.resize(paths_.size());
  for (size_t i = 0; i < paths_.size(); ++i) {
    if (readers_[i]->next(lines[i])) {
      continuing = i;
    } else {
      ended = i;
    }
  }
  if (ended && continuing) {
    throw Error("{}: ends after line {}, but {} has more lines; line n of every file must belong to the same sentence",
                shown_path(paths_[*ended]), line_number_, shown_path(paths_[*continuing]));
  }
  if (!continuing) return false;
  ++line_number_;
  for (size_t i = 1; i < paths_.size(); ++i) {
    check_is_same_segment(line_number_, {paths_[0], readers_[0]->segment_name()},
                          {paths_[i], readers_[i]->segment_name()});
  }
  return true;
}

}  // namespace transformer

#include "text/line_pairs.h"

#include <utility>

namespace transformer {

LinePairReader::LinePairReader(std::vector<ParallelFiles> text, int64_t max_lines_of_file)
    : text_(std::move(text)), max_lines_of_file_(max_lines_of_file) {}

std::vector<LinePair> LinePairReader::next(size_t limit) {
  std::vector<LinePair> block;
  std::vector<std::string> lines;
  block.reserve(limit);
  while (block.size() < limit) {
    if (!files_) {
      if (next_file_ == text_.size()) break;
      files_.emplace(std::vector{text_[next_file_].source, text_[next_file_].target});
      ++next_file_;
    }
    if (files_->line_number() < max_lines_of_file_ && files_->next(lines)) {
      block.push_back({std::move(lines[0]), std::move(lines[1]), ++line_, next_file_ - 1, files_->line_number()});
    } else {
      files_.reset();
    }
  }
  return block;
}

}  // namespace transformer

#include "text/line_pairs.h"

#include <utility>

namespace transformer {

LinePairReader::LinePairReader(std::vector<std::string> sources, std::vector<std::string> targets)
    : sources_(std::move(sources)), targets_(std::move(targets)) {}

std::vector<LinePair> LinePairReader::next(size_t limit) {
  std::vector<LinePair> block;
  std::vector<std::string> lines;
  while (block.size() < limit) {
    if (!files_) {
      if (next_file_ == sources_.size()) break;
      files_.emplace(std::vector{sources_[next_file_], targets_[next_file_]});
      ++next_file_;
    }
    if (files_->next(lines)) {
      block.push_back({std::move(lines[0]), std::move(lines[1]), ++line_, next_file_ - 1, files_->line_number()});
    } else {
      files_.reset();
    }
  }
  return block;
}

}  // namespace transformer

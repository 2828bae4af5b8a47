#include "data/line_pairs.h"

#include <algorithm>

#include "base/error.h"

namespace transformer {

LinePairReader::LinePairReader(const std::vector<std::string>& sources, const std::vector<std::string>& targets)
    : sources_(sources), targets_(targets) {}

std::vector<LinePair> LinePairReader::next(size_t limit) {
  std::vector<LinePair> block;
  while (block.size() < limit) {
    if (!source_) {
      if (file_ == sources_.size()) break;
      source_ = std::make_unique<LineReader>(sources_[file_]);
      target_ = std::make_unique<LineReader>(targets_[file_]);
      ++file_;
    }
    LinePair pair;
    const bool has_source = source_->next(pair.source), has_target = target_->next(pair.target);
    if (has_source != has_target) {
      const std::string &source = sources_[file_ - 1], &target = targets_[file_ - 1];
      throw Error(has_source ? target : source, ": ends after line ",
                  std::min(source_->line_number(), target_->line_number()), ", but ", has_source ? source : target,
                  " has more lines; line n of one must be the translation of line n of the other");
    }
    if (has_source) {
      pair.line = ++line_;
      block.push_back(std::move(pair));
    } else {
      source_.reset();
    }
  }
  return block;
}

}  // namespace transformer

#include "evaluation/ngrams.h"

#include <cstring>
#include <utility>

namespace transformer {

std::vector<uint32_t> WordNumbers::of(const std::vector<std::string_view>& words) {
  std::vector<uint32_t> numbers;
  numbers.reserve(words.size());
  for (const std::string_view word : words) {
    auto found = numbers_.find(word);
    if (found == numbers_.end()) found = numbers_.emplace(word, static_cast<uint32_t>(numbers_.size())).first;
    numbers.push_back(found->second);
  }
  return numbers;
}

Ngrams::Ngrams(std::vector<uint32_t> symbols, size_t max_order)
    : symbols_(std::move(symbols)), sorted_(symbols_.size()) {
  for (size_t i = 0; i < sorted_.size(); ++i) sorted_[i] = static_cast<uint32_t>(i);
  // Any total order of the symbols will do; comparing their bytes is fastest.
  std::sort(sorted_.begin(), sorted_.end(), [&](uint32_t one, uint32_t other) {
    const size_t longer = std::max(one, other), num_common = std::min(max_order, symbols_.size() - longer);
    const int order = std::memcmp(&symbols_[one], &symbols_[other], num_common * sizeof(uint32_t));
    return order != 0 ? order < 0 : one > other;  // a suffix that is a prefix of the other one comes first
  });
}

/// Iterates over the distinct n-grams of one order.
class NgramCursor {
 public:
  NgramCursor(const Ngrams& ngrams, size_t order) : ngrams_(ngrams), order_(order) { skip_short(); }

  bool at_end() const { return position_ == ngrams_.sorted_.size(); }
  int compare(const NgramCursor& other) const { return std::memcmp(ngram(), other.ngram(), order_ * sizeof(uint32_t)); }
  /// Returns the count of the current n-gram and moves on to the next one.
  int64_t take() {
    const NgramCursor first = *this;
    int64_t count = 0;
    for (; !at_end() && compare(first) == 0; skip_short()) ++count, ++position_;
    return count;
  }

 private:
  const uint32_t* ngram() const { return &ngrams_.symbols_[ngrams_.sorted_[position_]]; }
  void skip_short() {
    while (!at_end() && ngrams_.sorted_[position_] + order_ > ngrams_.symbols_.size()) ++position_;
  }

  const Ngrams& ngrams_;
  size_t order_, position_ = 0;
};

int64_t count_matches(const Ngrams& hypothesis, std::span<const Ngrams> references, size_t order) {
  std::vector<NgramCursor> in_references;
  for (const Ngrams& reference : references) in_references.emplace_back(reference, order);
  int64_t matches = 0;
  for (NgramCursor next(hypothesis, order); !next.at_end();) {
    const NgramCursor ngram = next;
    const int64_t count = next.take();
    int64_t most = 0;
    for (NgramCursor& reference : in_references) {
      while (!reference.at_end() && reference.compare(ngram) < 0) reference.take();
      if (!reference.at_end() && reference.compare(ngram) == 0) most = std::max(most, reference.take());
    }
    matches += std::min(count, most);
  }
  return matches;
}

}  // namespace transformer

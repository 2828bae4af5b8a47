#include "data/pair_overlap.h"

#include <fmt/core.h>

#include <set>
#include <utility>

#include "base/format.h"

namespace transformer {
namespace {

/// The pieces of both sides as one key.
std::string key_of(const PairPieces& pair) {
  std::string key = std::to_string(pair.source.size()) + ' ';
  for (const auto side : {pair.source, pair.target}) {
    key.append(reinterpret_cast<const char*>(side.data()), side.size_bytes());
  }
  return key;
}

std::string describe(const ParallelFiles& text, int64_t num_found, int64_t num_pairs, const std::string& other) {
  return fmt::format(
      "{}, {}: {} of {} pairs are in {}, too, so that scores on them say little about other text; remove them from one "
      "of the two",
      text.source, text.target, with_thousands(num_found), with_thousands(num_pairs), other);
}

}  // namespace

PairOverlap::PairOverlap(std::vector<ParallelFiles> texts) : texts_(std::move(texts)), num_pairs_(texts_.size()) {}

void PairOverlap::add_pair(size_t text, const PairPieces& pair) {
  if (pair.source.empty() || pair.target.empty()) return;
  ++num_pairs_[text];
  occurrences_[key_of(pair)].texts.push_back(text);
}

bool PairOverlap::add_training_pair(const PairPieces& pair) {
  if (occurrences_.empty()) return false;
  const auto found = occurrences_.find(key_of(pair));
  if (found == occurrences_.end()) return false;
  found->second.is_in_training = true;
  return true;
}

std::vector<std::string> PairOverlap::warnings() const {
  static constexpr int64_t kTolerated = 100;  // one in so many pairs
  const size_t n = texts_.size();
  std::vector<int64_t> in_training(n);
  std::vector<std::vector<int64_t>> in_other(n, std::vector<int64_t>(n));  // [i][j]: pairs of text i that text j has
  for (const auto& [key, found] : occurrences_) {
    const std::set<size_t> with_pair(found.texts.begin(), found.texts.end());
    for (const size_t text : found.texts) {
      if (found.is_in_training) ++in_training[text];
      for (const size_t other : with_pair) ++in_other[text][other];
    }
  }
  std::vector<std::string> warnings;
  const auto are_many = [&](int64_t num_found, size_t text) { return kTolerated * num_found > num_pairs_[text]; };
  for (size_t i = 0; i < n; ++i) {
    if (are_many(in_training[i], i)) {
      warnings.push_back(describe(texts_[i], in_training[i], num_pairs_[i], "the training text"));
    }
    for (size_t j = 0; j < i; ++j) {
      if (!are_many(in_other[i][j], i) && !are_many(in_other[j][i], j)) continue;
      const bool is_part = in_other[i][j] * num_pairs_[j] >= in_other[j][i] * num_pairs_[i];  // i has the larger share
      const size_t text = is_part ? i : j, other = is_part ? j : i;
      warnings.push_back(describe(texts_[text], in_other[text][other], num_pairs_[text],
                                  fmt::format("{}, {}", texts_[other].source, texts_[other].target)));
    }
  }
  return warnings;
}

}  // namespace transformer

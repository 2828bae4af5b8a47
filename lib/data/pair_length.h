#pragma once

#include <cstdint>
#include <vector>

#include "data/corpus.h"

namespace transformer {

/// Source tokens of a pair as the model sees them: its pieces and the end symbol.
inline int64_t source_tokens(const SentencePair& pair) { return std::ssize(pair.source) + 1; }
/// Target tokens of a pair as the model sees them: its pieces and the end symbol.
inline int64_t target_tokens(const SentencePair& pair) { return std::ssize(pair.target) + 1; }

/// The length of a pair in tokens, and its index.
struct PairLength {
  int64_t source_tokens, target_tokens, index;

  PairLength(const SentencePair& pair, int64_t pair_index);
  /// Whether this pair comes before the other one in an order by target length, then source length, longest first. The
  /// indices of the pairs break ties, so that the order is unique.
  bool operator<(const PairLength& other) const;
};

/// The lengths of the pairs of the corpus with these indices, longest first.
std::vector<PairLength> longest_first(const SentencePairs& corpus, const std::vector<int64_t>& indices);
/// The lengths of the pairs, longest first. A pair's index is its place in `pairs`.
std::vector<PairLength> longest_first(const std::vector<SentencePair>& pairs);

/// The lengths of the corpus's `count` longest pairs, longest first; fewer if the corpus has fewer.
std::vector<PairLength> longest_pairs(const Corpus& corpus, int64_t count);

}  // namespace transformer

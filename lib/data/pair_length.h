#pragma once

#include <cstdint>
#include <vector>

#include "data/corpus.h"

namespace transformer {

/// Source tokens of a pair as the model sees them: its pieces and the end symbol.
inline int64_t source_tokens(const SentencePair& pair) { return std::ssize(pair.source) + 1; }
/// Target tokens of a pair as the model sees them: its pieces and the end symbol.
inline int64_t target_tokens(const SentencePair& pair) { return std::ssize(pair.target) + 1; }

/// Whether pair `a` comes before pair `b` in an order by target length, then source length, longest first. The indices
/// of the pairs break ties, so that the order is unique.
bool is_longer(const SentencePair& a, int64_t index_a, const SentencePair& b, int64_t index_b);

/// The indices of the `count` pairs that come first in the order of `is_longer`, in this order; fewer if the corpus has
/// fewer.
std::vector<int64_t> longest_pairs(const Corpus& corpus, int64_t count);

}  // namespace transformer

#pragma once

#include <cstdint>
#include <vector>

#include "data/corpus.h"

namespace transformer {

/// Where a BatchSampler stands; all that a checkpoint needs to go on exactly there.
struct SamplerPosition {
  int64_t epoch = 0;
  int64_t pool = 0;   // of the epoch
  int64_t group = 0;  // of the pool
};

/// Which sentence pairs make up each training step (§5.1, Deviation D8): about `batch_tokens` source and target tokens,
/// drawn as several groups of like length, as the authors' eight devices each had one. The order follows from corpus,
/// batch_tokens and seed alone: an epoch is a random order of the corpus, cut into pools; a pool sorted by length gives
/// groups, taken in random order.
class BatchSampler {
 public:
  BatchSampler(const Corpus& corpus, int64_t batch_tokens, uint64_t seed);

  /// The pairs of the next step. Every pair comes once in an epoch; a step may reach into the next epoch.
  std::vector<int64_t> next();

  SamplerPosition position() const { return position_; }
  /// Goes on as the sampler did whose position this was (of the same corpus, batch_tokens and seed).
  void seek(const SamplerPosition& position);

 private:
  void load_pool();

  const Corpus& corpus_;
  int64_t group_tokens_, pool_pairs_, num_pools_;
  uint64_t seed_;
  SamplerPosition position_;
  std::vector<std::vector<int64_t>> groups_;  // of the pool, in the order in which they are taken
};

/// The part of a step's pairs that rank `rank` of `size` takes: parts of about equal cost, which make up the whole.
std::vector<int64_t> share_of(const Corpus& corpus, const std::vector<int64_t>& pairs, int rank, int size);

/// Tokens of a pair as the model sees them: with the end symbol.
inline int64_t source_tokens(const SentencePair& pair) { return std::ssize(pair.source) + 1; }
inline int64_t target_tokens(const SentencePair& pair) { return std::ssize(pair.target) + 1; }

/// The numbers of the pairs with the longest targets, longest first, at most `count`.
std::vector<int64_t> longest_pairs(const Corpus& corpus, int64_t count);

/// The numbers of the pairs cut into slices of like length with at most `device_tokens` source and target tokens each,
/// end symbols included (a single longer pair makes a slice of its own). Longest first, so that a
/// slice that does not fit shows itself at once.
std::vector<std::vector<int64_t>> cut_into_slices(const std::vector<SentencePair>& pairs, int64_t device_tokens);
/// The same for the pairs of the corpus with these numbers.
std::vector<std::vector<int64_t>> cut_into_slices(const Corpus& corpus, const std::vector<int64_t>& numbers,
                                                  int64_t device_tokens);

}  // namespace transformer

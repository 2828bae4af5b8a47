#pragma once

#include <cstdint>
#include <vector>

#include "data/corpus.h"

namespace transformer {

/// Position of a BatchSampler in the corpus. A checkpoint stores it to resume at exactly the next step.
struct SamplerPosition {
  int64_t epoch = 0;
  int64_t pool = 0;    // index in the epoch
  int64_t bucket = 0;  // index in the pool
};

/// Draws the sentence pairs of each training step (§5.1, Deviation D8): about `batch_tokens` source tokens and as many
/// target tokens. The order depends on the corpus, `batch_tokens` and the seed only. Each epoch shuffles the corpus and
/// divides it into pools; each pool is sorted by length and divided into buckets of pairs of similar length, of at most
/// an eighth of `batch_tokens` on each side or of one longer pair; a step takes eight buckets of a pool in random
/// order, because each of the authors' eight devices had one.
class BatchSampler {
 public:
  /// Begins at the position of another sampler with the same corpus, `batch_tokens` and seed. Throws Error if there is
  /// no such position.
  BatchSampler(const Corpus& corpus, int64_t batch_tokens, uint64_t seed, const SamplerPosition& position = {});

  /// The indices of the next step's pairs. An epoch contains each pair as often as its weight says (EpochOrder); a step
  /// may reach into the next epoch.
  std::vector<int64_t> next();

  SamplerPosition position() const { return position_; }
  /// The number of passes through the corpus so far; 1.5 in the middle of the second one.
  double epochs() const;

 private:
  void check(bool position_exists) const;
  void load_pool();

  const Corpus& corpus_;
  int64_t bucket_tokens_, pool_pairs_, num_pools_;
  uint64_t seed_;
  SamplerPosition position_;
  std::vector<std::vector<int64_t>> buckets_;  // of the current pool, in the order in which steps take them
};

}  // namespace transformer

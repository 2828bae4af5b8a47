#pragma once

#include <cstdint>
#include <vector>

#include "data/corpus.h"
#include "data/random_permutation.h"

namespace transformer {

/// The number of pairs in an epoch of these parts, each pair counted as often as it occurs.
int64_t num_epoch_pairs(const std::vector<CorpusPart>& parts);

/// The pairs of an epoch in random order. A pair of a part with weight 2.3 is in each epoch twice, and 30 % of the
/// part's pairs, other ones in each epoch, are in it a third time.
class EpochOrder {
 public:
  /// `seed` is the epoch's.
  EpochOrder(const std::vector<CorpusPart>& parts, uint64_t seed);

  /// The number of pairs in the epoch, each counted as often as it occurs.
  int64_t size() const { return size_; }
  /// The index of the pair at `position`.
  int64_t operator()(int64_t position) const;

 private:
  /// Before an epoch is shuffled, its parts follow each other. A part with weight 2.3 is all of its pairs, all of them
  /// again, and 30 % of them.
  struct Part {
    CorpusPart pairs;
    int64_t end;                  // the position behind the part in the epoch before it is shuffled
    int64_t in_whole_copies;      // the number of the part's positions without the last 30 %
    RandomPermutation last_copy;  // a random order of the part's pairs; the last 30 % are the first in it
  };

  std::vector<Part> parts_;
  int64_t size_;
  RandomPermutation shuffled_;
};

}  // namespace transformer

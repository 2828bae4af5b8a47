#pragma once

#include <cstdint>
#include <vector>

#include "data/corpus.h"
#include "data/random_permutation.h"

namespace transformer {

/// The pairs of an epoch in random order. A pair of a part with weight 2.3 is in each epoch twice, and 30 % of the
/// part's pairs, other ones in each epoch, are in it a third time.
class EpochOrder {
 public:
  /// `seed` is the epoch's.
  EpochOrder(const std::vector<CorpusPart>& parts, uint64_t seed);

  /// The number of positions.
  int64_t size() const { return size_; }
  /// The index of the pair at `position`.
  int64_t operator()(int64_t position) const;

 private:
  struct Part {
    CorpusPart pairs;
    int64_t end;              // of the part in the epoch before it is shuffled
    int64_t in_whole_copies;  // so many positions of the part contain each pair equally often
    RandomPermutation rest;   // the order in which the last positions take pairs
  };

  std::vector<Part> parts_;
  int64_t size_;
  RandomPermutation shuffled_;
};

}  // namespace transformer

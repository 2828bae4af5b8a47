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
  /// An epoch that is not shuffled yet is the concatenation of its parts. A part with weight 2.3 has all of its pairs
  /// twice, and then 30 % of them, drawn anew in each epoch.
  struct Part {
    CorpusPart pairs;
    int64_t end;              // the position after the part in the epoch that is not shuffled
    int64_t num_in_full;      // how many of the part's positions belong to full copies: floor(weight) * size
    RandomPermutation drawn;  // an order of the part's pairs; the last, partial copy has the first ones
  };

  std::vector<Part> parts_;
  int64_t size_;
  RandomPermutation shuffled_;
};

}  // namespace transformer

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "data/data_config.h"
#include "data/encoded_pair.h"
#include "data/pair_account.h"
#include "data/seen_pairs.h"

namespace transformer {

/// Throws Error if more than `data.max_dropped` of the corpus's `num_pairs` pairs were dropped, duplicates and copies
/// not counted, or if all were dropped. The message begins with `corpus`, the name of the corpus, and has an example of
/// each reason and the keys that keep more pairs.
void check_dropped_pairs(const PairsByFault& dropped, int64_t num_pairs, const std::string& corpus,
                         const DataConfig& config);

/// Decides which pairs training uses (Deviation D15), and keeps the account of those with a fault.
class PairFilter {
 public:
  explicit PairFilter(const DataConfig& config);

  /// Whether training uses a pair of these files. Writes into the account what is wrong with it.
  bool keep(const EncodedPair& pair, const ParallelFiles& files);
  /// Notes that a pair that `keep` kept is in the validation or the test text.
  void add_held_out(const std::string& place) { account_.kept[PairFault::held_out].add(place); }

  PairAccount account() const;
  /// "dropped 3 (1 empty, 1 longer than 256, 1 by ratio)".
  std::string summary() const;

 private:
  /// The fault of pairs of these lengths.
  std::optional<PairFault> fault_of_lengths(size_t source_pieces, size_t target_pieces) const;

  DataConfig config_;
  PairAccount account_;
  SeenPairs seen_;
};

}  // namespace transformer

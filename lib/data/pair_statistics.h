#pragma once

#include <cstdint>
#include <vector>

#include "data/pair_pieces.h"
#include "text/source_and_target.h"

namespace transformer {

/// How often the pairs of a text have each piece, and how long their sides are: what tells whether two texts are in the
/// same languages and whether the lines of both sides belong together.
class PairStatistics {
 public:
  explicit PairStatistics(const VocabularySizes& sizes);

  /// Adds a pair, unless a side is empty.
  void add(const PairPieces& pair);

  int64_t num_pairs() const { return num_pairs_; }
  /// Pearson's correlation of log(1 + source pieces) and log(1 + target pieces): about 0.9 for translations and 0 for
  /// lines in random order. 0 if all sources or all targets have the same length.
  double length_correlation() const;
  /// Whether the lengths of each side have about the mean and the spread that those of `other` have.
  bool has_lengths_of(const PairStatistics& other) const;

  /// For each side, from 0 to 1: how much of `other`'s text is pieces that this text has, too, counting each piece at
  /// most `factor` times as often as it occurs here (both as shares of their text).
  double common_source_pieces(const PairStatistics& other, double factor) const;
  double common_target_pieces(const PairStatistics& other, double factor) const;

 private:
  /// Sums over the logarithms of the lengths of a side.
  struct Lengths {
    double sum = 0, sum_of_squares = 0;

    void add(double length);
    double mean(int64_t n) const { return sum / static_cast<double>(n); }
    double deviation(int64_t n) const;
  };

  int64_t num_pairs_ = 0;
  std::vector<int64_t> source_pieces_, target_pieces_;  // by id
  Lengths source_lengths_, target_lengths_;
  double sum_of_products_ = 0;
};

}  // namespace transformer

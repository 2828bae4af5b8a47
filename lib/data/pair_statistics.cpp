#include "data/pair_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace transformer {
namespace {

double common_pieces(const std::vector<int64_t>& here, const std::vector<int64_t>& other, double factor) {
  const auto sum_of = [](const std::vector<int64_t>& counts) {
    return static_cast<double>(std::max<int64_t>(1, std::accumulate(counts.begin(), counts.end(), int64_t{0})));
  };
  const double num_here = sum_of(here), num_other = sum_of(other);
  double common = 0;
  for (size_t piece = 0; piece < here.size(); ++piece) {
    common +=
        std::min(static_cast<double>(other[piece]) / num_other, factor * static_cast<double>(here[piece]) / num_here);
  }
  return common;
}

double log_length(std::span<const TokenId> pieces) { return std::log1p(static_cast<double>(pieces.size())); }

}  // namespace

void PairStatistics::Lengths::add(double length) {
  sum += length;
  sum_of_squares += length * length;
}

double PairStatistics::Lengths::deviation(int64_t n) const {
  return std::sqrt(std::max(0.0, sum_of_squares / static_cast<double>(n) - mean(n) * mean(n)));
}

PairStatistics::PairStatistics(const VocabularySizes& sizes)
    : source_pieces_(static_cast<size_t>(sizes.source())), target_pieces_(static_cast<size_t>(sizes.target())) {}

void PairStatistics::add(const PairPieces& pair) {
  if (pair.source.empty() || pair.target.empty()) return;
  ++num_pairs_;
  for (const TokenId piece : pair.source) ++source_pieces_[static_cast<size_t>(piece)];
  for (const TokenId piece : pair.target) ++target_pieces_[static_cast<size_t>(piece)];
  const double source = log_length(pair.source), target = log_length(pair.target);
  source_lengths_.add(source);
  target_lengths_.add(target);
  sum_of_products_ += source * target;
}

double PairStatistics::length_correlation() const {
  static constexpr double kSameLength = 1e-6;  // a deviation that is rounding
  if (num_pairs_ == 0) return 0;
  const double source = source_lengths_.deviation(num_pairs_), target = target_lengths_.deviation(num_pairs_);
  if (std::min(source, target) < kSameLength) return 0;
  const double covariance = sum_of_products_ / static_cast<double>(num_pairs_) -
                            source_lengths_.mean(num_pairs_) * target_lengths_.mean(num_pairs_);
  return covariance / (source * target);
}

bool PairStatistics::has_lengths_of(const PairStatistics& other) const {
  static constexpr double kMaxDifference = 0.7;  // of the mean logarithms: twice as long
  static constexpr double kMaxRatio = 2;         // of the deviations
  const auto are_similar = [&](const Lengths& a, const Lengths& b) {
    const double here = a.deviation(num_pairs_), there = b.deviation(other.num_pairs_);
    return std::abs(a.mean(num_pairs_) - b.mean(other.num_pairs_)) < kMaxDifference && here < kMaxRatio * there &&
           there < kMaxRatio * here;
  };
  return num_pairs_ > 0 && other.num_pairs_ > 0 && are_similar(source_lengths_, other.source_lengths_) &&
         are_similar(target_lengths_, other.target_lengths_);
}

double PairStatistics::common_source_pieces(const PairStatistics& other, double factor) const {
  return common_pieces(source_pieces_, other.source_pieces_, factor);
}

double PairStatistics::common_target_pieces(const PairStatistics& other, double factor) const {
  return common_pieces(target_pieces_, other.target_pieces_, factor);
}

}  // namespace transformer

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluation/metric.h"
#include "evaluation/ngrams.h"

namespace transformer {

/// sacreBLEU's defaults.
struct ChrfOptions {
  int char_order = 6;
  /// 0: chrF; 2: chrF++, which counts n-grams of words too.
  int word_order = 0;
  /// How much more recall counts than precision.
  int beta = 2;
  bool lowercase = false;
  /// Whether whitespace belongs to the characters.
  bool whitespace = false;
  /// The mean of each order's F-score, an order without n-grams counting as next to nothing, in place of the F-score
  /// of the mean precision and recall over the orders that both sides have.
  bool eps_smoothing = false;
};

/// chrF (Popovic, 2015) and chrF++ (Popovic, 2017): the F-score of n-grams of characters. Statistics are for each order
/// the hypothesis' n-grams, the reference's and the matches; of several references that with the best score counts.
class Chrf : public Metric {
 public:
  explicit Chrf(const ChrfOptions& options) : options_(options) {}

  std::string name() const override;
  std::string settings() const override;
  Statistics statistics(std::string_view hypothesis, const std::vector<std::string_view>& references) override;
  double score(const Statistics& sums) const override;
  std::string details(const Statistics&) const override { return ""; }
  double resampled_score(std::span<const float> sums) const override;
  bool resamples_in_single_precision() const override { return true; }

 private:
  /// What is counted in a line.
  struct Segment {
    Ngrams characters, words;
  };
  Segment segment_of(std::string_view line);

  ChrfOptions options_;
  WordNumbers word_numbers_;
};

}  // namespace transformer

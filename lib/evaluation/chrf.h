#pragma once

#include <string>
#include <vector>

#include "evaluation/metric.h"
#include "evaluation/ngrams.h"

namespace transformer {

/// The default values are sacreBLEU's.
struct ChrfOptions {
  int char_order = 6;
  /// 0 is chrF; 2 is chrF++, which also uses n-grams of words.
  int word_order = 0;
  /// The weight of recall relative to precision.
  int beta = 2;
  bool lowercase = false;
  /// Whether whitespace counts as characters.
  bool whitespace = false;
  /// Takes the mean of the F-scores of all orders, where an order without n-grams counts a tiny epsilon, instead of the
  /// F-score of the mean precision and recall of the orders that both sides have.
  bool eps_smoothing = false;
};

/// chrF (Popovic, 2015) and chrF++ (Popovic, 2017): the F-score of character n-grams. Its statistics are, for each
/// order, the numbers of n-grams in the hypothesis, of n-grams in the reference, and of matches. With several
/// references, each sentence is compared with the reference that gives the best score.
class Chrf : public Metric {
 public:
  explicit Chrf(const ChrfOptions& options) : options_(options) {}

  std::string name() const override;
  std::string settings() const override;
  Statistics statistics(std::string_view hypothesis, const std::vector<std::string_view>& references) override;
  double score(const Statistics& sums) const override;
  double resampled_score(std::span<const float> sums) const override;
  bool resamples_in_single_precision() const override { return true; }

 private:
  /// The n-grams of a line.
  struct Segment {
    Ngrams characters, words;
  };
  Segment segment_of(std::string_view line);

  ChrfOptions options_;
  WordNumbers word_numbers_;
};

}  // namespace transformer

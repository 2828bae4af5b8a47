#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "evaluation/metric.h"
#include "evaluation/ngrams.h"
#include "evaluation/tokenization.h"

namespace transformer {

/// The number of edits that turn the hypothesis into the reference: insertions, deletions and substitutions of words,
/// and shifts, which move a sequence of words of the hypothesis to another place. As in the program TERCOM, the shifts
/// are found greedily: the one that saves the most edits comes first, until none saves any. Words are numbers.
///
/// These limits of sacreBLEU's implementation, which decide between equally plausible results, are a part of the
/// metric: a shift moves up to 10 words, by up to about 50 places; after 1,000 tried shifts no other is made; and the
/// edit distance is computed in a beam of 25 words on each side of the diagonal.
int64_t count_edits(std::vector<uint32_t> hypothesis, const std::vector<uint32_t>& reference);

/// TER (Snover et al., 2006): the number of edits for each word of the reference, in percent. Lower is better. Its
/// statistics are the number of edits and the length of the reference. With several references, the edits of a sentence
/// are those to the reference that needs the fewest, and its length is the mean of all references.
class Ter : public Metric {
 public:
  explicit Ter(const TercomOptions& options) : options_(options) {}

  std::string name() const override { return "TER"; }
  std::string settings() const override;
  Statistics statistics(std::string_view hypothesis, const std::vector<std::string_view>& references) override;
  double score(const Statistics& sums) const override;
  double resampled_score(std::span<const float> sums) const override;
  bool resamples_in_single_precision() const override { return true; }

 private:
  std::vector<uint32_t> words_of(std::string_view line);

  TercomOptions options_;
  WordNumbers word_numbers_;
};

}  // namespace transformer

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluation/metric.h"
#include "evaluation/ngrams.h"
#include "evaluation/tokenizers.h"

namespace transformer {

/// BLEU counts n-grams of 1 to 4 words.
inline constexpr size_t kMaxNgramOrder = 4;

/// What an order without a match counts as (Chen and Cherry, 2014): with `exp` half a match, the next a quarter, as
/// mteval-v13a.pl has it; with `floor` a given fraction; with `add_k` all orders but the first count k more, both in
/// matches and in n-grams.
enum class Smoothing { exp, floor, add_k, none };

/// The name in a signature and on the command line: "exp", "floor", "add-k", "none".
const char* name_of(Smoothing smoothing);

/// sacreBLEU's defaults.
struct BleuOptions {
  Tokenization tokenization = Tokenization::mteval_13a;
  bool lowercase = false;
  Smoothing smoothing = Smoothing::exp;
  /// Of `floor` and `add_k`; without it 0.1 and 1.
  std::optional<double> smooth_value;
  /// The mean is over the orders that the hypothesis has n-grams of; for single sentences.
  bool effective_order = false;
};

/// The BLEU of the paper's Table 2: Moses' words, compounds split, counted as multi-bleu.perl does (Deviation D17).
BleuOptions paper_bleu_options();

/// Corpus BLEU and what it was computed from. Place n - 1 of an array belongs to the n-grams of n
/// words.
struct BleuScore {
  /// brevity_penalty * exp(mean of log precisions): 0 to 100.
  double score = 0;
  /// 100 * counts / totals; where counts is 0, what smoothing puts in its place.
  std::array<double, kMaxNgramOrder> precisions{};
  /// exp(1 - reference_length / hypothesis_length) where the hypothesis is the shorter,
  /// otherwise 1.
  double brevity_penalty = 1;
  /// hypothesis_length / reference_length; 0 where the reference has no words.
  double ratio = 0;
  /// Words. With several references a sentence's reference length is the closest to its
  /// hypothesis'.
  int64_t hypothesis_length = 0, reference_length = 0;
  /// The n-grams of the hypothesis that the references have too, and all n-grams of the hypothesis.
  std::array<int64_t, kMaxNgramOrder> counts{}, totals{};
};

/// BLEU (Papineni et al., 2002; Deviation D17). Statistics are the hypothesis' length, the reference's, the counts of
/// each order, the totals.
class Bleu : public Metric {
 public:
  explicit Bleu(const BleuOptions& options) : options_(options) {}

  std::string name() const override;
  std::string settings() const override;
  Statistics statistics(std::string_view hypothesis, const std::vector<std::string_view>& references) override;
  double score(const Statistics& sums) const override { return bleu(sums).score; }
  std::string details(const Statistics& sums) const override;
  double resampled_score(std::span<const float> sums) const override;
  bool resamples_in_single_precision() const override { return false; }

  BleuScore bleu(const Statistics& sums) const;

 private:
  Ngrams ngrams_of(std::string_view line);

  BleuOptions options_;
  WordNumbers word_numbers_;
};

/// Corpus BLEU of detokenized texts, with sacreBLEU's defaults: 13a tokenization, case kept, one
/// score over the counts of all sentences, exponential smoothing. Throws Error where a reference has not exactly one
/// line for each hypothesis, or where there are none.
BleuScore corpus_bleu(const std::vector<std::string>& hypotheses, const std::vector<NamedText>& references,
                      const BleuOptions& options = {});

/// True where 100 lines or more end in " .": text that was probably not detokenized, whose BLEU
/// can't be compared with other figures.
bool looks_tokenized(const std::vector<std::string>& hypotheses);

}  // namespace transformer

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "evaluation/metric.h"
#include "evaluation/ngrams.h"
#include "evaluation/tokenization.h"

namespace transformer {

/// BLEU uses n-grams of 1 to 4 words.
inline constexpr size_t kMaxNgramOrder = 4;

/// Smoothing of the precision of n-gram orders without a match (Chen and Cherry, 2014). `exp`, as in mteval-v13a.pl:
/// the first such order counts half a match, the next a quarter, and so on. `floor`: each counts a given fraction of a
/// match. `add_k`: k is added to the matches and the totals of all orders above 1.
enum class Smoothing { exp, floor, add_k, none };

/// As in signatures and on the command line.
template <>
struct EnumNames<Smoothing> {
  static constexpr std::array names = {"exp", "floor", "add-k", "none"};
};

/// The default values are sacreBLEU's.
struct BleuOptions {
  Tokenization tokenization = Tokenization::mteval_13a;
  /// The path of the SentencePiece model of a tokenization that needs one, otherwise empty.
  std::string tokenizer_model{};
  bool lowercase = false;
  Smoothing smoothing = Smoothing::exp;
  /// The parameter of `floor` (0.1 by default) or `add_k` (1 by default).
  std::optional<double> smooth_value{};
  /// Ignores n-gram orders for which the hypothesis has no n-grams; meant for single sentences.
  bool effective_order = false;
};

/// The BLEU of the paper's Table 2: Moses tokenization, compounds split, computed as by multi-bleu.perl (Deviation
/// D17).
BleuOptions paper_bleu_options();

/// Corpus BLEU and the figures that it was computed from. Element n - 1 of an array belongs to the n-grams of n words.
struct BleuScore {
  /// brevity_penalty * exp(mean of log precisions): 0 to 100.
  double score = 0;
  /// 100 * counts / totals, smoothed where counts is 0, and with add_k in all orders above 1.
  std::array<double, kMaxNgramOrder> precisions{};
  /// exp(1 - reference_length / hypothesis_length) if the hypothesis is the shorter, otherwise 1.
  double brevity_penalty = 1;
  /// hypothesis_length / reference_length; 0 if the reference has no words.
  double ratio = 0;
  /// In words. With several references, the reference length of a sentence is the one closest to its hypothesis'
  /// length.
  int64_t hypothesis_length = 0, reference_length = 0;
  /// The n-grams of the hypothesis that also occur in a reference, and all n-grams of the hypothesis.
  std::array<int64_t, kMaxNgramOrder> counts{}, totals{};
};

/// BLEU (Papineni et al., 2002; Deviation D17). Its statistics are the hypothesis length, the reference length, and for
/// each order the counts and then the totals.
class Bleu : public Metric {
 public:
  /// Throws Error as WordTokenizer does.
  explicit Bleu(const BleuOptions& options)
      : options_(options), tokenize_(options.tokenization, options.tokenizer_model) {}

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
  WordTokenizer tokenize_;
  WordNumbers word_numbers_;
};

/// Corpus BLEU of detokenized texts, with sacreBLEU's defaults: 13a tokenization, case-sensitive, one score from the
/// counts of all sentences, exponential smoothing. Throws Error if a reference does not have exactly one line for each
/// hypothesis, or if there are no lines.
BleuScore corpus_bleu(const std::vector<std::string>& hypotheses, const std::vector<NamedText>& references,
                      const BleuOptions& options = {});

}  // namespace transformer

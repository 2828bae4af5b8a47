#include "evaluation/bleu.h"

#include <fmt/core.h>

#include <cmath>
#include <cstdlib>

#include "evaluation/characters.h"

namespace transformer {
namespace {

/// The reference length that is closest to the hypothesis' length; if two are equally close, the shorter one.
int64_t closest_reference_length(const Ngrams& hypothesis, std::span<const Ngrams> references) {
  const auto length = static_cast<int64_t>(hypothesis.num_symbols());
  auto closest = static_cast<int64_t>(references.front().num_symbols());
  for (const Ngrams& reference : references) {
    const auto candidate = static_cast<int64_t>(reference.num_symbols());
    const int64_t distance = std::abs(candidate - length), best = std::abs(closest - length);
    if (distance < best || (distance == best && candidate < closest)) closest = candidate;
  }
  return closest;
}

/// exp(1 - r / c), or 1 if the hypothesis is at least as long as the reference (Papineni et al., 2002, section 2.3).
/// For a hypothesis without words it is exp(-infinity), which is 0.
double brevity_penalty(int64_t hypothesis_length, int64_t reference_length) {
  if (hypothesis_length >= reference_length) return 1;
  return std::exp(1 - static_cast<double>(reference_length) / static_cast<double>(hypothesis_length));
}

double smooth_value(const BleuOptions& options) {
  static constexpr double kFloor = 0.1, kAdded = 1;
  return options.smooth_value.value_or(options.smoothing == Smoothing::floor ? kFloor : kAdded);
}

/// The precisions in percent, and over how many orders their mean is taken.
struct Precisions {
  std::array<double, kMaxNgramOrder> values{};
  size_t num_orders = kMaxNgramOrder;
};

/// Computes in the precision of `Real`. The precisions of an order without n-grams and of all higher orders are 0.
template <class Real>
Precisions smoothed_precisions(const BleuOptions& options, const Real* counts, const Real* totals) {
  Precisions precisions;
  const double value = smooth_value(options);
  double halvings = 1;
  for (size_t i = 0; i < kMaxNgramOrder; ++i) {
    const Real added = options.smoothing == Smoothing::add_k && i > 0 ? static_cast<Real>(value) : 0;
    const Real count = counts[i] + added, total = totals[i] + added;
    if (total == 0) break;
    if (options.effective_order) precisions.num_orders = i + 1;
    if (count != 0) {
      precisions.values[i] = Real{100} * count / total;
    } else if (options.smoothing == Smoothing::exp) {
      halvings *= 2;
      precisions.values[i] = Real{100} / (static_cast<Real>(halvings) * total);
    } else if (options.smoothing == Smoothing::floor) {
      precisions.values[i] = static_cast<Real>(100. * value) / total;
    }
  }
  return precisions;
}

/// BP * exp(mean of log p_n) (Papineni et al., 2002, section 2.3).
double bleu_of(double penalty, const Precisions& precisions) {
  double sum_of_logs = 0;
  for (size_t i = 0; i < precisions.num_orders; ++i) sum_of_logs += std::log(precisions.values[i]);
  return penalty * std::exp(sum_of_logs / static_cast<double>(precisions.num_orders));
}

/// Where the counts and the totals begin in the statistics.
constexpr size_t kCounts = 2, kTotals = kCounts + kMaxNgramOrder, kNumStatistics = kTotals + kMaxNgramOrder;

}  // namespace

BleuOptions paper_bleu_options() {
  BleuOptions options;
  options.tokenization = Tokenization::paper;
  options.smoothing = Smoothing::none;
  return options;
}

std::string Bleu::name() const { return options_.tokenization == Tokenization::paper ? "BLEU-paper" : "BLEU"; }

std::string Bleu::settings() const {
  std::string smooth = name_of(options_.smoothing);
  if (options_.smoothing == Smoothing::floor || options_.smoothing == Smoothing::add_k) {
    smooth += fmt::format("[{:.2f}]", smooth_value(options_));
  }
  const bool is_sacrebleu = options_.tokenization != Tokenization::paper;
  const auto tokenization =
      options_.tokenization == Tokenization::spm ? Tokenization::flores101 : options_.tokenization;  // as in sacreBLEU
  return fmt::format("case:{}|eff:{}|tok:{}|smooth:{}{}", options_.lowercase ? "lc" : "mixed",
                     options_.effective_order ? "yes" : "no", name_of(tokenization), smooth,
                     is_sacrebleu ? fmt::format("|version:{}", kSacrebleuVersion) : "");
}

Ngrams Bleu::ngrams_of(std::string_view line) {
  const std::string words = options_.lowercase ? tokenize_(to_lower(line)) : tokenize_(line);
  return {word_numbers_.of(split_at_whitespace(words)), kMaxNgramOrder};
}

Statistics Bleu::statistics(std::string_view hypothesis_line, const std::vector<std::string_view>& reference_lines) {
  const Ngrams hypothesis = ngrams_of(hypothesis_line);
  std::vector<Ngrams> references;
  for (const std::string_view line : reference_lines) references.push_back(ngrams_of(line));
  Statistics statistics(kNumStatistics);
  statistics[0] = static_cast<double>(hypothesis.num_symbols());
  statistics[1] = static_cast<double>(closest_reference_length(hypothesis, references));
  for (size_t order = 1; order <= kMaxNgramOrder; ++order) {
    statistics[kCounts + order - 1] = static_cast<double>(count_matches(hypothesis, references, order));
    statistics[kTotals + order - 1] = static_cast<double>(hypothesis.count(order));
  }
  return statistics;
}

BleuScore Bleu::bleu(const Statistics& sums) const {
  BleuScore bleu;
  bleu.hypothesis_length = static_cast<int64_t>(sums[0]);
  bleu.reference_length = static_cast<int64_t>(sums[1]);
  for (size_t i = 0; i < kMaxNgramOrder; ++i) {
    bleu.counts[i] = static_cast<int64_t>(sums[kCounts + i]);
    bleu.totals[i] = static_cast<int64_t>(sums[kTotals + i]);
  }
  if (bleu.reference_length > 0) {
    bleu.ratio = static_cast<double>(bleu.hypothesis_length) / static_cast<double>(bleu.reference_length);
  }
  bleu.brevity_penalty = brevity_penalty(bleu.hypothesis_length, bleu.reference_length);
  if (bleu.counts[0] == 0) return bleu;  // if no word matches, no longer n-gram does
  const Precisions precisions = smoothed_precisions(options_, &sums[kCounts], &sums[kTotals]);
  bleu.precisions = precisions.values;
  bleu.score = bleu_of(bleu.brevity_penalty, precisions);
  return bleu;
}

double Bleu::resampled_score(std::span<const float> sums) const {
  if (sums[kCounts] == 0) return 0;
  const double penalty = brevity_penalty(static_cast<int64_t>(sums[0]), static_cast<int64_t>(sums[1]));
  return bleu_of(penalty, smoothed_precisions(options_, &sums[kCounts], &sums[kTotals]));
}

/// "59.3/32.3/19.9/12.6 (BP = 1.000 ratio = 1.003 hyp_len = 61450 ref_len = 61287)".
std::string Bleu::details(const Statistics& sums) const {
  const BleuScore score = bleu(sums);
  std::string precisions;
  for (const double precision : score.precisions) {
    if (!precisions.empty()) precisions += '/';
    precisions += fmt::format("{:.1f}", precision);
  }
  return fmt::format("{} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})", precisions, score.brevity_penalty,
                     score.ratio, score.hypothesis_length, score.reference_length);
}

BleuScore corpus_bleu(const std::vector<std::string>& hypotheses, const std::vector<NamedText>& references,
                      const BleuOptions& options) {
  Bleu metric(options);
  return metric.bleu(sum_of(corpus_statistics(metric, {"hypothesis", hypotheses}, references)));
}

}  // namespace transformer

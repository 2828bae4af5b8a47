#include "evaluation/chrf.h"

#include <fmt/core.h>

#include "base/utf8.h"
#include "evaluation/characters.h"

namespace transformer {
namespace {

bool is_ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

/// Splits one punctuation mark off each word, the last character if it is one, otherwise the first: "(hi)" becomes
/// "(hi" and ")".
std::vector<std::string_view> words_and_marks(std::string_view line) {
  std::vector<std::string_view> parts;
  for (const std::string_view word : split_at_whitespace(line)) {
    const size_t last = word.size() - 1;
    const size_t cut = last == 0 ? 0 : is_ascii_punctuation(word[last]) ? last : is_ascii_punctuation(word[0]) ? 1 : 0;
    if (cut > 0) parts.push_back(word.substr(0, cut));
    parts.push_back(word.substr(cut));
  }
  return parts;
}

/// F_beta = (1 + beta^2) * P * R / (beta^2 * P + R) in percent (Popovic, 2015, equation 1), computed in the precision
/// of `Real`.
template <class Real>
Real f_score(const ChrfOptions& options, const std::vector<Real>& statistics) {
  static constexpr Real kEpsilon = static_cast<Real>(1e-16);
  const auto factor = static_cast<Real>(options.beta * options.beta);
  const size_t num_orders = statistics.size() / 3;
  Real sum = 0, precision_sum = 0, recall_sum = 0;
  int effective_orders = 0;
  for (size_t i = 0; i < num_orders; ++i) {
    const Real in_hypothesis = statistics[3 * i], in_reference = statistics[3 * i + 1], matches = statistics[3 * i + 2];
    const Real precision = in_hypothesis > 0 ? matches / in_hypothesis : kEpsilon;
    const Real recall = in_reference > 0 ? matches / in_reference : kEpsilon;
    const Real denominator = factor * precision + recall;
    sum += denominator > 0 ? (1 + factor) * precision * recall / denominator : kEpsilon;
    if (in_hypothesis > 0 && in_reference > 0) {
      precision_sum += precision;
      recall_sum += recall;
      ++effective_orders;
    }
  }
  if (options.eps_smoothing) return 100 * sum / static_cast<Real>(num_orders);
  if (precision_sum + recall_sum == 0) return 0;
  const Real precision = precision_sum / static_cast<Real>(effective_orders);
  const Real recall = recall_sum / static_cast<Real>(effective_orders);
  return 100 * ((1 + factor) * precision * recall / (factor * precision + recall));
}

void add_order(const Ngrams& hypothesis, const Ngrams& reference, size_t order, Statistics& statistics) {
  const int64_t in_reference = reference.count(order);
  // An order without n-grams in the reference does not lower the hypothesis' precision.
  statistics.push_back(in_reference == 0 ? 0 : static_cast<double>(hypothesis.count(order)));
  statistics.push_back(static_cast<double>(in_reference));
  statistics.push_back(static_cast<double>(count_matches(hypothesis, {&reference, 1}, order)));
}

}  // namespace

std::string Chrf::name() const {
  return fmt::format("chrF{}{}", options_.beta, std::string(static_cast<size_t>(options_.word_order), '+'));
}

std::string Chrf::settings() const {
  return fmt::format("case:{}|eff:{}|nc:{}|nw:{}|space:{}|version:{}", options_.lowercase ? "lc" : "mixed",
                     options_.eps_smoothing ? "no" : "yes", options_.char_order, options_.word_order,
                     options_.whitespace ? "yes" : "no", kSacrebleuVersion);
}

Chrf::Segment Chrf::segment_of(std::string_view line) {
  const std::string lower = options_.lowercase ? to_lower(line) : "";
  if (options_.lowercase) line = lower;
  std::string without_space;
  for (const std::string_view word : split_at_whitespace(line)) without_space += word;
  const std::u32string characters = decode_utf8(options_.whitespace ? line : without_space);
  std::vector<std::string_view> words;
  if (options_.word_order > 0) words = words_and_marks(line);
  return {Ngrams({characters.begin(), characters.end()}, static_cast<size_t>(options_.char_order)),
          Ngrams(word_numbers_.of(words), static_cast<size_t>(options_.word_order))};
}

Statistics Chrf::statistics(std::string_view hypothesis_line, const std::vector<std::string_view>& reference_lines) {
  const Segment hypothesis = segment_of(hypothesis_line);
  Statistics best;
  double best_score = -1;
  for (const std::string_view line : reference_lines) {
    const Segment reference = segment_of(line);
    Statistics statistics;
    for (int order = 1; order <= options_.char_order; ++order) {
      add_order(hypothesis.characters, reference.characters, static_cast<size_t>(order), statistics);
    }
    for (int order = 1; order <= options_.word_order; ++order) {
      add_order(hypothesis.words, reference.words, static_cast<size_t>(order), statistics);
    }
    const double its_score = score(statistics);
    if (its_score > best_score) {
      best_score = its_score;
      best = statistics;
    }
  }
  return best;
}

double Chrf::score(const Statistics& sums) const { return f_score<double>(options_, sums); }

double Chrf::resampled_score(std::span<const float> sums) const {
  return f_score<float>(options_, std::vector<float>(sums.begin(), sums.end()));
}

}  // namespace transformer

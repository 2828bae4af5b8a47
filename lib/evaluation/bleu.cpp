#include "evaluation/bleu.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/json.h"
#include "evaluation/tokenize_13a.h"

namespace transformer {
namespace {

/// A tokenized sentence. The words are views into `text`, where single spaces stand between them;
/// so an n-gram is a view too, and equal n-grams are equal views.
class Sentence {
 public:
  explicit Sentence(std::string_view line)
      : text_(tokenize_13a(strip_trailing_whitespace(line))), words_(split_at_whitespace(text_)) {}
  Sentence(const Sentence&) = delete;
  Sentence& operator=(const Sentence&) = delete;

  size_t num_words() const { return words_.size(); }
  size_t num_ngrams(size_t order) const { return words_.size() < order ? 0 : words_.size() - order + 1; }
  std::string_view ngram(size_t first_word, size_t order) const {
    const std::string_view last = words_[first_word + order - 1];
    const char* begin = words_[first_word].data();
    return {begin, static_cast<size_t>(last.data() + last.size() - begin)};
  }

 private:
  std::string text_;
  std::vector<std::string_view> words_;
};

/// All n-grams of one order, sorted, each as often as it occurs: a multiset.
using Ngrams = std::vector<std::string_view>;

Ngrams sorted_ngrams(const Sentence& sentence, size_t order) {
  Ngrams ngrams;
  ngrams.reserve(sentence.num_ngrams(order));
  for (size_t i = 0; i < sentence.num_ngrams(order); ++i) {
    ngrams.push_back(sentence.ngram(i, order));
  }
  std::sort(ngrams.begin(), ngrams.end());
  return ngrams;
}

/// "Modified precision" clips the count of an n-gram to the most that any one reference has of it.
/// In multisets that is the intersection of the hypothesis with the union of the references.
int64_t count_matches(const Sentence& hypothesis, const std::deque<Sentence>& references, size_t order) {
  Ngrams allowed;
  for (const Sentence& reference : references) {
    const Ngrams ngrams = sorted_ngrams(reference, order);
    Ngrams both;
    std::set_union(allowed.begin(), allowed.end(), ngrams.begin(), ngrams.end(), std::back_inserter(both));
    allowed = std::move(both);
  }
  const Ngrams ngrams = sorted_ngrams(hypothesis, order);
  Ngrams matches;
  std::set_intersection(ngrams.begin(), ngrams.end(), allowed.begin(), allowed.end(), std::back_inserter(matches));
  return static_cast<int64_t>(matches.size());
}

/// The length of the reference that is closest to the hypothesis' length; of two as close the
/// shorter.
int64_t closest_reference_length(const Sentence& hypothesis, const std::deque<Sentence>& references) {
  const auto length = static_cast<int64_t>(hypothesis.num_words());
  auto closest = static_cast<int64_t>(references.front().num_words());
  for (const Sentence& reference : references) {
    const auto candidate = static_cast<int64_t>(reference.num_words());
    const int64_t distance = std::abs(candidate - length), best = std::abs(closest - length);
    if (distance < best || (distance == best && candidate < closest)) closest = candidate;
  }
  return closest;
}

void add_sentence(const Sentence& hypothesis, const std::deque<Sentence>& references, BleuScore& bleu) {
  bleu.hypothesis_length += static_cast<int64_t>(hypothesis.num_words());
  bleu.reference_length += closest_reference_length(hypothesis, references);
  for (size_t order = 1; order <= kMaxNgramOrder; ++order) {
    bleu.totals[order - 1] += static_cast<int64_t>(hypothesis.num_ngrams(order));
    bleu.counts[order - 1] += count_matches(hypothesis, references, order);
  }
}

/// exp(1 - r / c), or 1 where the hypothesis is at least as long (Papineni et al., 2002,
/// section 2.3). Without any words it is exp(-infinity), which is 0.
double brevity_penalty(int64_t hypothesis_length, int64_t reference_length) {
  if (hypothesis_length >= reference_length) return 1;
  return std::exp(1 - static_cast<double>(reference_length) / static_cast<double>(hypothesis_length));
}

/// In percent. Exponential smoothing, as mteval-v13a.pl has it: the first order without a match
/// counts as if it had half a match, the next a quarter. An order without n-grams, and all orders
/// above it, stay 0.
std::array<double, kMaxNgramOrder> smoothed_precisions(const BleuScore& bleu) {
  std::array<double, kMaxNgramOrder> precisions{};
  if (bleu.counts[0] == 0) return precisions;  // No word matches, so nothing does.
  double smoothing = 1;
  for (size_t i = 0; i < kMaxNgramOrder && bleu.totals[i] > 0; ++i) {
    const auto total = static_cast<double>(bleu.totals[i]);
    if (bleu.counts[i] == 0) {
      smoothing *= 2;
      precisions[i] = 100. / (smoothing * total);
    } else {
      precisions[i] = 100. * static_cast<double>(bleu.counts[i]) / total;
    }
  }
  return precisions;
}

/// Sets what follows from the counts and lengths.
void finish(BleuScore& bleu) {
  if (bleu.reference_length > 0) {
    bleu.ratio = static_cast<double>(bleu.hypothesis_length) / static_cast<double>(bleu.reference_length);
  }
  bleu.brevity_penalty = brevity_penalty(bleu.hypothesis_length, bleu.reference_length);
  bleu.precisions = smoothed_precisions(bleu);
  double sum_of_logs = 0;
  for (const double precision : bleu.precisions) sum_of_logs += std::log(precision);
  bleu.score = bleu.brevity_penalty * std::exp(sum_of_logs / kMaxNgramOrder);
}

/// "1 line", "3 lines".
std::string num_lines(const std::vector<std::string>& lines) {
  return concat(lines.size(), lines.size() == 1 ? " line" : " lines");
}

void check_line_counts(const std::vector<std::string>& hypotheses, const std::vector<ReferenceStream>& references) {
  if (references.empty()) throw Error("BLEU needs at least one reference; none was given");
  for (const ReferenceStream& reference : references) {
    if (reference.lines.size() == hypotheses.size()) continue;
    throw Error("hypothesis has ", num_lines(hypotheses), " but reference ", reference.name, " has ",
                reference.lines.size(), "; both need one line for each sentence, in the same order");
  }
  if (hypotheses.empty()) {
    throw Error("hypothesis and reference ", references.front().name,
                " have no lines; BLEU needs at least one sentence");
  }
}

/// The shortest digits that read back as the same number, laid out as Python's json.dumps does:
/// never without a point or an exponent, with an exponent below 0.0001. The value is not negative.
std::string python_number(double value) {
  const auto layout = value == 0 || value >= 1e-4 ? std::chars_format::fixed : std::chars_format::scientific;
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, layout).ptr;
  std::string text(digits.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

/// What stands behind the score: "59.3/32.3/19.9/12.6 (BP = 1.000 ratio = 1.003 hyp_len = 61450
/// ref_len = 61287)".
std::string verbose_part(const BleuScore& bleu) {
  std::string precisions;
  for (const double precision : bleu.precisions) {
    if (!precisions.empty()) precisions += '/';
    precisions += fixed(precision, 1);
  }
  return concat(precisions, " (BP = ", fixed(bleu.brevity_penalty, 3), " ratio = ", fixed(bleu.ratio, 3),
                " hyp_len = ", bleu.hypothesis_length, " ref_len = ", bleu.reference_length, ")");
}

}  // namespace

BleuScore corpus_bleu(const std::vector<std::string>& hypotheses, const std::vector<ReferenceStream>& references) {
  check_line_counts(hypotheses, references);
  BleuScore bleu;
  for (size_t line = 0; line < hypotheses.size(); ++line) {
    const Sentence hypothesis(hypotheses[line]);
    std::deque<Sentence> its_references;
    for (const ReferenceStream& reference : references) {
      its_references.emplace_back(reference.lines[line]);
    }
    add_sentence(hypothesis, its_references, bleu);
  }
  finish(bleu);
  return bleu;
}

bool looks_tokenized(const std::vector<std::string>& hypotheses) {
  return std::count_if(hypotheses.begin(), hypotheses.end(),
                       [](const std::string& line) { return strip_trailing_whitespace(line).ends_with(" ."); }) >= 100;
}

std::string bleu_signature(size_t num_references) {
  return concat("nrefs:", num_references, "|case:mixed|eff:no|tok:13a|smooth:exp|version:", kSacrebleuVersion);
}

std::string format_bleu_text(const BleuScore& bleu, const std::string& signature, int width) {
  return concat("BLEU", signature.empty() ? "" : "|", signature, " = ", fixed(bleu.score, width), " ",
                verbose_part(bleu));
}

std::string format_bleu_json(const BleuScore& bleu, const std::string& signature, int width) {
  const double rounded_score = std::stod(fixed(bleu.score, width));
  std::string json =
      concat("{\n \"name\": \"BLEU\",\n \"score\": ", python_number(rounded_score),
             ",\n \"signature\": ", json_string(signature), ",\n \"verbose_score\": ", json_string(verbose_part(bleu)));
  // Each "key:value" of the signature is a member of its own.
  std::istringstream members(signature);
  for (std::string member; std::getline(members, member, '|');) {
    const size_t colon = member.find(':');
    json += concat(",\n ", json_string(member.substr(0, colon)), ": ", json_string(member.substr(colon + 1)));
  }
  return json + "\n}";
}

}  // namespace transformer

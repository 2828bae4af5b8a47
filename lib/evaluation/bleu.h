#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace transformer {

/// BLEU counts n-grams of 1 to 4 words.
inline constexpr size_t kMaxNgramOrder = 4;

/// The sacreBLEU release that every figure and every output line here was compared with.
inline constexpr const char* kSacrebleuVersion = "2.6.0";

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

/// One translation of every sentence. `name` is for messages: the file's path.
struct ReferenceStream {
  std::string name;
  std::vector<std::string> lines;
};

/// Corpus BLEU (Papineni et al., 2002; Deviation D17) with sacreBLEU's defaults: 13a tokenization, case kept, one
/// score over the counts of all sentences, exponential smoothing of orders without a match. The
/// texts are detokenized. Throws Error where a reference has not exactly one line for each
/// hypothesis, or where there are none.
BleuScore corpus_bleu(const std::vector<std::string>& hypotheses, const std::vector<ReferenceStream>& references);

/// True where 100 lines or more end in " .": text that was probably not detokenized, whose BLEU
/// can't be compared with other figures.
bool looks_tokenized(const std::vector<std::string>& hypotheses);

/// How the score was computed, as sacreBLEU writes it: "nrefs:1|case:mixed|...|version:2.x.y".
std::string bleu_signature(size_t num_references);

/// What `sacrebleu --format text` prints: "BLEU|<signature> = 26.3 59.3/32.3/19.9/12.6 (BP = ...)";
/// with an empty signature "BLEU = 26.3 ...". `width` is the score's number of digits after the
/// point.
std::string format_bleu_text(const BleuScore& bleu, const std::string& signature, int width = 1);

/// What `sacrebleu --format json` prints.
std::string format_bleu_json(const BleuScore& bleu, const std::string& signature, int width = 1);

}  // namespace transformer

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "evaluation/bleu.h"
#include "evaluation/bootstrap.h"
#include "evaluation/chrf.h"
#include "evaluation/ter.h"

namespace transformer {

enum class EvaluationMetric { bleu, chrf, chrf_plus_plus, ter };

template <>
struct EnumNames<EvaluationMetric> {
  static constexpr std::array names = {"bleu", "chrf", "chrf++", "ter"};
};

/// What the command `eval-bleu` is asked to do. The path "-" is stdin.
struct TranslationEvaluationTask {
  std::vector<std::string> hypotheses = {"-"};  // several files are several systems, the baseline first
  std::vector<std::string> references;          // several files are several references
  std::string source;                           // the text that was translated, to find copies of it; may be empty
  std::vector<EvaluationMetric> metrics = {EvaluationMetric::bleu};
  bool paper = false;  // BLEU as the paper computes it, in addition
  BleuOptions bleu;
  ChrfOptions chrf;
  TercomOptions ter;
  bool sentence = false;    // one score for each line instead of one for the text
  bool confidence = false;  // with a confidence interval, for one system
  bool paired = false;      // with a paired bootstrap test, for several systems
  int64_t confidence_samples = Resampling().num_samples, paired_samples = Resampling().num_samples;
  uint64_t seed = Resampling().seed;
  bool json = false, score_only = false;
  int width = 1;  // digits after the decimal point

  bool has_metric(EvaluationMetric metric) const;
};

/// Scores the hypotheses and returns the result in the format that the task asks for, without a newline at the end.
/// Throws UsageError if the options contradict each other, and Error if a file cannot be read or the numbers of lines
/// differ.
std::string evaluate_translation(const TranslationEvaluationTask& task);

}  // namespace transformer

#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "config/config.h"
#include "data/corpus.h"
#include "model/transformer.h"
#include "reporting/metrics.h"
#include "reporting/sample_translations.h"
#include "run/validation_translator.h"
#include "text/tokenizers.h"

namespace transformer {

struct ValidationResult {
  MetricsLine metrics;  // a validation line of metrics.jsonl
  ValidationSamples samples;
};

/// Measures loss, perplexity, BLEU and, where `training.best_by` needs it, chrF or TER of a model in training on the
/// validation sets of `data.valid`. The first set decides which validation is the best one, and some of its
/// translations are shown.
class Validator {
 public:
  /// Reads the texts and opens the prepared corpora. `config` and `tokenizers` must outlive this object. Throws Error
  /// if a file cannot be read, or if `decoding.trees` is set and the vocabulary lacks the brackets of trees.
  Validator(const Config& config, const Tokenizers& tokenizers);

  /// Validates the model of this step, and logs what it finds. `device_tokens` as for validation_loss. BLEU,
  /// chrF and TER are NaN, with a warning, if the model's scores are not finite. Leaves the model in evaluation mode.
  ValidationResult validate(Transformer& model, int64_t device_tokens, int64_t step) const;

 private:
  struct Set {
    Set(const ValidationSet& set, const std::string& prepared, const Config& config,
        const SourceAndTarget<SpecialTokens>& special_tokens);
    std::string name;  // empty if the set has no name
    Corpus corpus;
    ValidationTranslator translator;
  };
  using Translations = ValidationTranslator::Translations;

  /// Adds the set's metrics to `metrics` and logs them. Returns the translations.
  Translations measure(const Set& set, Transformer& model, int64_t device_tokens, MetricsLine& metrics) const;

  const Config& config_;
  const Tokenizers& tokenizers_;
  std::deque<Set> sets_;
};

}  // namespace transformer

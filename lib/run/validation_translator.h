#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "evaluation/bleu.h"
#include "evaluation/metric.h"
#include "model/transformer.h"
#include "text/tokenizers.h"

namespace transformer {

/// Translates the source of a validation set as the section `decoding` of the config says, and scores the translations
/// against the set's target.
class ValidationTranslator {
 public:
  using Translations = std::optional<std::vector<std::string>>;

  /// Reads the text. `config` must outlive this object. Throws Error if a file cannot be read.
  ValidationTranslator(const ValidationSet& set, const Config& config);

  /// The lines of the text.
  const std::vector<std::string>& source() const { return source_; }
  const std::vector<std::string>& target() const { return target_.lines; }

  /// Warns if lines of the source have more pieces than the model processes, so that only their beginning is
  /// translated.
  void warn_of_long_lines(const Tokenizer& tokenizer, const ModelConfig& model) const;

  /// Translates with a model in evaluation mode. Returns nullopt, with a warning that begins with `model_name`, if the
  /// model's scores are not finite.
  Translations translate(Transformer& model, const Tokenizers& tokenizers, const std::string& model_name) const;

  /// BLEU with `evaluation.tokenize`, and with the effective order where no line of the target has four words.
  const BleuOptions& bleu() const { return bleu_; }
  /// This BLEU, chrF or TER; NaN without translations.
  double score(const Translations& translations, ValidationMetric metric) const;

 private:
  const Config& config_;
  const std::string source_file_;
  std::vector<std::string> source_;
  NamedText target_;
  BleuOptions bleu_;
};

}  // namespace transformer

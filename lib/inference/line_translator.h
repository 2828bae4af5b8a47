#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "inference/alternatives.h"
#include "inference/loaded_model.h"
#include "inference/translation_task.h"
#include "inference/translator.h"

namespace transformer {

/// Makes translations as a task demands: by the search alone, as alternatives after prefixes, or by minimum Bayes risk.
class LineTranslator {
 public:
  /// `models` and `task` must outlive the translator. Throws as Translator does.
  LineTranslator(const LoadedEnsemble& models, const DecodingConfig& config, const TranslationTask& task);

  /// As Translator::translate.
  std::vector<TranslatedLine> translate(const std::vector<TranslationRequest>& requests,
                                        const std::function<void(int64_t num_lines)>& on_progress) const;

  /// The maximum length of a line, beyond which it is cut, and of a prefix.
  const LengthLimit& max_line_length() const;

 private:
  /// The candidates of each line among which its translations are chosen by minimum Bayes risk.
  std::vector<TranslatedLine> candidates(const std::vector<TranslationRequest>& requests,
                                         const std::function<void(int64_t num_lines)>& on_progress) const;

  const TranslationTask& task_;
  std::optional<Translator> translator_;
  std::optional<AlternativesTranslator> alternatives_;
};

}  // namespace transformer

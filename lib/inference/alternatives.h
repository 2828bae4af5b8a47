#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "inference/translator.h"

namespace transformer {

/// Alternatives at a place of a translation: the likeliest next pieces after a line's prefix, and for each of them the
/// best translation that continues with it (CTranslate2's `return_alternatives`).
class AlternativesTranslator {
 public:
  /// As Translator, for `count` alternatives. Throws ParameterError if the options ask for samples or trees.
  AlternativesTranslator(const std::vector<std::vector<Transformer>>& replicas, const Tokenizers& tokenizers,
                         const DecodingConfig& config, const TranslatorOptions& options, int64_t count);

  /// The maximum length of a line, beyond which it is cut, and of a prefix.
  const LengthLimit& max_line_length() const { return continuations_.max_line_length(); }

  /// Returns the alternatives of each line, those with likelier next pieces first; fewer if fewer pieces are permitted.
  /// `on_progress` is called as by Translator::translate.
  std::vector<TranslatedLine> translate(const std::vector<TranslationRequest>& lines,
                                        const std::function<void(int64_t num_lines)>& on_progress = {}) const;

 private:
  const TokenId end_;
  const Translator next_pieces_, continuations_;
};

}  // namespace transformer

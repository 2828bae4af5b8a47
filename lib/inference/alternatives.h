#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "inference/translator.h"

namespace transformer {

/// The settings of the search for the likeliest next pieces, which ranks by probability alone.
DecodingConfig next_piece_config(DecodingConfig config, int64_t count);
TranslatorOptions next_piece_options(TranslatorOptions options, int64_t count);
/// The request whose translations are the likeliest beginnings of the line's translations.
TranslationRequest next_piece_request(TranslationRequest line);

/// A translation of a line that one of its beginnings has.
struct Continuation {
  size_t alternative;          // the index of the beginning
  TranslationRequest request;  // for the best translation that continues it
};

/// Orders the beginnings that were found for a line, the likeliest first, and returns how those continue that have not
/// ended.
std::vector<Continuation> continuations_of(const TranslationRequest& line, TranslatedLine& beginnings, TokenId end);

/// Puts what was found for a continuation of a line in the place of its beginning.
void replace_beginning(TranslatedLine& line, size_t alternative, const TranslatedLine& continued);

/// Alternatives at a place of a translation: the likeliest next pieces after a line's prefix, and for each of them the
/// best translation that continues with it (CTranslate2's `return_alternatives`).
class AlternativesTranslator {
 public:
  /// As Translator, for `count` alternatives, which check_choice and check_choice_fits must permit.
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

#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decoding/alignment.h"
#include "decoding/term.h"
#include "documents/document.h"
#include "text/special_tokens.h"

namespace transformer {

struct PreparedControl;

/// A line that is to be translated.
struct TranslationRequest {
  std::string text;
  /// Pieces with which the translations begin, none of them unknown; without effect if outputs are trees.
  std::vector<TokenId> prefix = {};
  uint64_t sampling_key = 0;                    // with the seeds, decides which translation is sampled
  std::optional<int64_t> max_free_tokens = {};  // the translation ends after so many tokens behind the prefix
  int64_t num_found = 0;                        // the last pieces of the prefix, which an earlier search has found
  uint64_t seed = 0;                            // combined with that of SamplingOptions by exclusive or
  std::vector<TokenId> tag = {};                // pieces to put before those of the text; see SourceTags
  /// What is demanded of the translations; null: the translator's TranslatorOptions::control.
  std::shared_ptr<const PreparedControl> control = {};
};

/// A word of a translation, as spaces separate it, and the natural logarithm of its probability, which is the sum over
/// its pieces.
struct TranslatedWord {
  std::string text;
  double log_prob = 0;
};

/// The indices, from 0, of a source word and of an output word, some pieces of which are aligned.
struct AlignedWords {
  int64_t source, output;

  auto operator<=>(const AlignedWords&) const = default;
};

/// One translation of a line.
struct Translation {
  std::string text;                               // without line ends
  double score = 0;                               // log_prob / length penalty
  double log_prob = 0;                            // in nats
  int64_t num_terms = 0;                          // of the line's terms, those that it has
  std::optional<double> utility = {};             // the expected one, if it was chosen by minimum Bayes risk
  std::vector<TokenId> tokens = {};               // including the end symbol, if the hypothesis has finished
  std::vector<std::string> pieces = {};           // of the tokens
  std::vector<float> token_log_probs = {};        // their sum is log_prob
  std::vector<AlignedPieces> alignment = {};      // if requested: of each piece except the end symbol
  std::vector<TranslatedWord> words = {};         // if requested
  std::vector<AlignedWords> word_alignment = {};  // if requested: each pair once, in order
  bool reached_limit = false;                     // it ends at the length limit, without the end symbol
};

/// A translated line.
struct TranslatedLine {
  std::vector<Translation> translations;  // best first; of a blank line, one that is empty but for the prefix's text
  std::vector<std::string> source_pieces = {};  // of the line, as far as it was translated
  std::vector<int64_t> source_words = {};       // if word alignments are requested: the word of each of them
  bool was_cut = false;      // it was longer than the model allows, so only its beginning was translated
  bool was_invalid = false;  // it was not valid UTF-8; the invalid bytes were replaced by U+FFFD
  bool had_nul = false;      // it had a NUL byte, as UTF-16 has, which was read as a space
  int64_t num_unknown = 0;   // its pieces that stand for characters which the vocabulary lacks

  std::vector<std::string> remarks = {};  // if it is a text of a service's request: see remarks_on

  /// If it was divided: where its sentences begin in its text and in the best translation, and the ends of both.
  std::vector<MatchingPositions> positions = {};

  std::vector<Term> terms = {};  // of OutputControl::terms, those that the line has; see unmet_terms

  /// With TranslatorOptions::replace_unknowns: the characters of its unknown pieces, by the pieces' indices.
  std::map<int64_t, std::string> unknown_texts = {};

  const Translation& best() const { return translations.front(); }
  /// Whether the line is not blank, but its best translation is.
  bool lacks_translation() const {
    return !source_pieces.empty() && best().text.find_first_not_of(' ') == std::string::npos;
  }
};

/// The tokens of a translation or hypothesis without the end symbol.
inline std::vector<TokenId> without_end(std::vector<TokenId> tokens, const SpecialTokens& special_tokens) {
  if (!tokens.empty() && tokens.back() == special_tokens.end) tokens.pop_back();
  return tokens;
}

}  // namespace transformer

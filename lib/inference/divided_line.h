#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inference/translation.h"
#include "text/clean_line.h"
#include "text/placeholders.h"
#include "text/sentences.h"
#include "text/source_tags.h"

namespace transformer {

/// What divides lines. The first two may be null; all must outlive what uses them.
struct LineDivision {
  const SentenceSplitter* splitter;
  const Placeholders* placeholders;
  const SourceTags& tags;  // a line that begins with one gives it to each of its parts, others get the chosen one
};

/// A line whose sentences were translated one by one. Its n-th translation joins their n-th ones; a sentence with fewer
/// repeats its last one.
struct JoinedLine {
  TranslatedLine line;
  bool was_cut = false;            // a placeholder had not come through, so the text around it was translated apart
  bool lacks_placeholder = false;  // the translation has not each placeholder as often as the line
};

/// Divides a line into the parts that are translated by themselves, and joins their translations. There are up to two
/// rounds: first the sentences, or the whole line without a splitter; then, for each sentence whose best translation
/// has lost a placeholder such as {name}, the pieces of text between the sentence's placeholders.
class DividedLine {
 public:
  DividedLine(const LineDivision& division, const TranslationRequest& line);

  /// The parts to be translated next; none if all are.
  const std::vector<TranslationRequest>& requests() const { return requests_; }
  /// Takes the translations of requests(), which has others afterwards, or none. Throws Error if placeholders cannot be
  /// found in reasonable time.
  void add(std::vector<TranslatedLine> translated);
  /// The translated line, after all of its parts.
  JoinedLine joined() &&;

 private:
  struct Sentence {
    TextRange range;
    TranslatedLine translated = {};
    std::vector<TextRange> parts = {};  // text and placeholders in turn, if it is cut at these
  };

  std::string_view source_of(const Sentence& sentence) const;
  /// Cuts a sentence at its placeholders, if it has any, and requests what is between them.
  void cut(Sentence& sentence, uint64_t sampling_key);
  /// Replaces the translation of a sentence that was cut.
  void join_parts(Sentence& sentence, const std::vector<TranslatedLine>& translated) const;

  const LineDivision division_;
  const bool had_nul_;
  CleanLine text_;
  std::vector<TokenId> tag_;
  uint64_t seed_;
  std::vector<Sentence> sentences_;
  std::vector<TranslationRequest> requests_;
  bool has_sentences_ = false;  // their translations
  bool was_cut_ = false, lacks_placeholder_ = false;
};

}  // namespace transformer

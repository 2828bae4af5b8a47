#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "documents/document.h"
#include "inference/translation.h"
#include "text/placeholders.h"
#include "text/sentences.h"
#include "text/source_tags.h"

namespace transformer {

/// A line whose sentences were translated one by one, with its best translation alone.
struct JoinedLine {
  TranslatedLine line;
  std::vector<MatchingPositions> positions;  // of the sentences, and the ends
  bool was_cut = false;            // a placeholder had not come through, so the text around it was translated apart
  bool lacks_placeholder = false;  // the translation has not each placeholder as often as the line
};

/// Translates lines in parts. Each sentence is translated by itself if there is a splitter. A sentence that loses one
/// of its placeholders is cut at them: what is between them is translated by itself.
class PartTranslator {
 public:
  /// Translates lines as Translator::translate does.
  using TranslateLines = std::function<std::vector<TranslatedLine>(
      const std::vector<TranslationRequest>& lines, const std::function<void(int64_t num_lines)>& on_progress)>;

  /// `splitter` and `placeholders` may be null. All must outlive this object. A line that begins with one of `tags`
  /// gives it to each of its parts, others get the chosen one.
  PartTranslator(TranslateLines translate_lines, const SentenceSplitter* splitter, const Placeholders* placeholders,
                 const SourceTags& tags)
      : translate_lines_(std::move(translate_lines)), splitter_(splitter), placeholders_(placeholders), tags_(tags) {}

  /// `on_progress` is called as by Translator, for the lines whose sentences are done. Throws FormatError, whose line
  /// is one of `lines`, if its placeholders cannot be found in reasonable time.
  std::vector<JoinedLine> translate(const std::vector<TranslationRequest>& lines,
                                    const std::function<void(int64_t num_lines)>& on_progress) const;

 private:
  std::vector<TextRange> sentences_of(const std::string& line, size_t begin) const;
  /// As Placeholders::are_kept, for a sentence of line `line`, counted from 1.
  bool are_placeholders_kept(int64_t line, std::string_view sentence, std::string_view translation) const;
  /// Replaces the translation of a sentence in which placeholders were lost. Returns false if it has none of its own.
  bool translate_around_placeholders(const std::vector<TokenId>& tag, std::string_view sentence, uint64_t sampling_key,
                                     TranslatedLine& translated) const;

  const TranslateLines translate_lines_;
  const SentenceSplitter* splitter_;
  const Placeholders* placeholders_;
  const SourceTags& tags_;
};

}  // namespace transformer

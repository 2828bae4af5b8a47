#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "inference/divided_line.h"
#include "inference/translation.h"
#include "text/placeholders.h"
#include "text/sentences.h"
#include "text/source_tags.h"

namespace transformer {

/// Translates lines in parts, as DividedLine divides them.
class PartTranslator {
 public:
  /// Translates lines as Translator::translate does.
  using TranslateLines = std::function<std::vector<TranslatedLine>(
      const std::vector<TranslationRequest>& lines, const std::function<void(int64_t num_lines)>& on_progress)>;

  /// `splitter` and `placeholders` may be null. All must outlive this object.
  PartTranslator(TranslateLines translate_lines, const SentenceSplitter* splitter, const Placeholders* placeholders,
                 const SourceTags& tags)
      : translate_lines_(std::move(translate_lines)), division_{splitter, placeholders, tags} {}

  /// `on_progress` is called as by Translator, for the lines whose sentences are done. Throws FormatError, whose line
  /// is one of `lines`, if its placeholders cannot be found in reasonable time.
  std::vector<JoinedLine> translate(const std::vector<TranslationRequest>& lines,
                                    const std::function<void(int64_t num_lines)>& on_progress) const;

 private:
  /// Translates what the lines request, if that is anything.
  void translate_requests(std::vector<DividedLine>& lines, const std::function<void(int64_t num_lines)>& report) const;

  const TranslateLines translate_lines_;
  const LineDivision division_;
};

}  // namespace transformer

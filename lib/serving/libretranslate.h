#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "documents/document.h"
#include "inference/request_options.h"
#include "inference/translation.h"
#include "serving/call.h"

namespace transformer {

/// How the lines of a call are translated: sentence by sentence, each with as many translations as the call wants.
/// `source_language` is the code of the texts' language, or empty, and `beam_size` that of the model's config, which is
/// kept unless it is smaller than the number of translations.
RequestOptions libretranslate_options(const LibreTranslateCall& call, const std::string& source_language,
                                      int64_t beam_size);

/// The lines of a call's texts, which are translated one by one, and the answer that their translations are joined to.
class LibreTranslateLines {
 public:
  /// The call must outlive it.
  explicit LibreTranslateLines(const LibreTranslateCall& call);

  /// The lines of all texts, without the '\r' at the end of a line, which its translations get again; of HTML, the
  /// texts between tags that end a sentence.
  const std::vector<RequestedText>& lines() const { return lines_; }

  /// The answer to the call; `translated` has each of the lines. A line with fewer translations than the call wants
  /// repeats its last one.
  Json answer(const std::vector<TranslatedLine>& translated) const;

 private:
  /// A text's n-th translation.
  std::string joined(size_t text, size_t n, const std::vector<TranslatedLine>& translated) const;

  const LibreTranslateCall& call_;
  std::vector<RequestedText> lines_;
  std::vector<std::string> carriage_returns_;  // "\r" of a line that ends with it, "" of others; not of HTML
  std::vector<size_t> begins_;                 // of the texts, among the lines, and the end
  std::vector<Document> documents_;            // the texts, if they are HTML
};

}  // namespace transformer

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
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
  explicit LibreTranslateLines(const std::vector<std::string>& texts);

  /// The lines of all texts, without the '\r' at the end of a line, which its translations get again.
  const std::vector<RequestedText>& lines() const { return lines_; }

  /// The answer to the call, whose texts these are; `translated` has each of the lines. A line with fewer translations
  /// than the call wants repeats its last one.
  Json answer(const LibreTranslateCall& call, const std::vector<TranslatedLine>& translated) const;

 private:
  std::vector<RequestedText> lines_;
  std::vector<std::string> carriage_returns_;  // "\r" of a line that ends with it, "" of others
  std::vector<size_t> ends_;                   // of the texts, among the lines
};

}  // namespace transformer

#pragma once

#include <string>
#include <vector>

#include "documents/document.h"

namespace transformer {

/// Reads the document of a text's path (base/line_reader.h): XLIFF, TMX, a test set of WMT, HTML, JSON Lines and
/// subtitles, which are recognized by content, and, by the names of their files, Markdown, tab-separated columns, HTML
/// and subtitles; other text is divided into paragraphs. `into` is the part for the translations: a language of a TMX
/// file or of a test set, a field of JSON Lines, a column. Throws Error if it is broken, neither UTF-8 nor in an
/// encoding that it declares, by its name of a format that is not read, or lacks the part, and ParameterError if a part
/// must be named.
Document read_document(const std::string& path, const std::string& into);

/// The bytes of the document, in its encoding, with these texts, markup included, in the place of its segments.
std::string with_translations(const Document& document, const std::vector<std::string>& texts);

}  // namespace transformer

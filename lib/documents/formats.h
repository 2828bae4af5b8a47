#pragma once

#include <string>

#include "documents/document.h"

namespace transformer {

/// What of a document is translated.
struct DocumentTask {
  std::string file;  // for messages
  std::string part;  // to translate: a language, a field or a column; empty: the only one, or the document's source
  std::string into;  // likewise, for the translations
  std::string path = {};  // of the file, for examples in messages
};

// The readers of the formats, of a document in UTF-8. They throw FormatError and Error without the file's name if it is
// broken or lacks the part, and ParameterError if the task must name a part.

/// XLIFF 1.2 and 2, TMX, test sets of WMT.
Document read_xml_document(std::string bytes, const DocumentTask& task);
/// Throws ParameterError if `into` is not empty and no language code, which can be written as an attribute.
void check_language(const std::string& into);

/// A test set of WMT in SGML.
Document read_sgml_document(std::string bytes, const DocumentTask& task);
Document read_json_lines_document(std::string bytes, const DocumentTask& task);
Document read_tsv_document(std::string bytes, const DocumentTask& task);
Document read_html_document(std::string bytes, const DocumentTask& task);
Document read_markdown_document(std::string bytes, const DocumentTask& task);
/// Subtitles in SubRip's format or WebVTT.
Document read_subtitles(std::string bytes, const DocumentTask& task);
/// Paragraphs with blank lines between them, headings and items of lists with marks as in Markdown.
Document read_paragraphs(std::string bytes, const DocumentTask& task);

}  // namespace transformer

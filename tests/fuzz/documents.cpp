#include <string>
#include <vector>

#include "base/error.h"
#include "base/utf8.h"
#include "documents/formats.h"
#include "documents/read_document.h"
#include "fuzz.h"

namespace transformer {

/// A document of any format, with a translation for each segment.
void fuzz(std::string_view input) {
  using Read = Document (*)(std::string bytes, const DocumentTask& task);
  static constexpr Read kReaders[] = {read_xml_document, read_sgml_document, read_json_lines_document,
                                      read_tsv_document, read_html_document, read_markdown_document,
                                      read_subtitles,    read_paragraphs};
  if (!is_valid_utf8(input)) return;
  for (const Read read : kReaders) {
    try {
      const bool is_table = read == read_tsv_document, is_json = read == read_json_lines_document;
      const Document document = read(std::string(input), {"file",
                                                          is_table  ? "1"
                                                          : is_json ? "a"
                                                                    : "en",
                                                          is_table  ? "2"
                                                          : is_json ? "b.c"
                                                                    : "de"});
      std::vector<std::string> texts;
      for (const Segment* segment : document.segments()) {
        require(segment->text.find('\n') == std::string::npos);
        texts.push_back(with_markup(*segment, "x yz", {{0, 0}, {segment->text.size(), 4}}, document.escape));
      }
      with_translations(document, texts);
    } catch (const Error&) {
    }
  }
}

}  // namespace transformer

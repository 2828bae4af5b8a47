#include "base/formats/segments.h"

#include <unicode/uchar.h>

#include <algorithm>

#include "base/other_format.h"
#include "base/utf8.h"
#include "base/words.h"

namespace transformer {
namespace {

bool is_utf16_markup(std::string_view beginning) {
  return beginning.starts_with(std::string_view("\xFF\xFE<\0", 4)) ||
         beginning.starts_with(std::string_view("\xFE\xFF\0<", 4));
}

}  // namespace

void SegmentReader::finish() {
  end_file();
  if (has_segments_) return;
  throw FormatError(1,
                    "it begins like a test set or another file with segments, but has none; give one with text or, if "
                    "it is plain text, remove the lines of markup");
}

void SegmentReader::add_segment(std::string_view text, std::string name) {
  has_segments_ = true;
  names_.push_back(std::move(name));
  while (!text.empty()) {
    const size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) break;
    const std::string_view blanks = text.substr(0, begin);
    const bool is_first = lines_.empty() || lines_.back() == '\n';
    if (!is_first) lines_ += blanks.find_first_of("\r\n") == std::string_view::npos ? blanks : " ";
    const size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
    lines_ += text.substr(begin, end - begin);
    text.remove_prefix(end);
  }
  lines_ += '\n';
}

std::string segment_name(const std::string& document, const std::string& segment) {
  return document.empty() || segment.empty() ? "" : document + " segment " + segment;
}

bool has_letters(std::string_view text) {
  const std::u32string characters = decode_utf8(text);
  return std::any_of(characters.begin(), characters.end(),
                     [](char32_t character) { return u_isalpha(static_cast<UChar32>(character)) != 0; });
}

std::unique_ptr<SegmentReader> segment_reader_for(std::string_view beginning, const std::string& part,
                                                  const std::string& file) {
  switch (markup_of(beginning)) {
    case Markup::none:
      if (is_utf16_markup(beginning)) return make_xml_reader(part, file);
      if (part.empty()) return nullptr;
      if (is_blank(beginning)) throw FormatError(1, "it is empty; give a file with text");
      throw Error("it is plain text, of which '#{}' names no part; give the path without it", part);
    case Markup::xml:
      return make_xml_reader(part, file);
    case Markup::sgml:
      return make_sgml_reader();
    case Markup::json_lines:
      return make_json_lines_reader(part, file);
    case Markup::other:
      break;
  }
  throw Error("it is {}", describe_markup(beginning));
}

}  // namespace transformer

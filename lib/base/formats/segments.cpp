#include "base/formats/segments.h"

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

void SegmentReader::add_segment(std::string_view text) {
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

std::unique_ptr<SegmentReader> segment_reader_for(std::string_view beginning, const std::string& part,
                                                  const std::string& file) {
  switch (markup_of(beginning)) {
    case Markup::none:
      if (is_utf16_markup(beginning)) return make_xml_reader(part, file);
      if (part.empty()) return nullptr;
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

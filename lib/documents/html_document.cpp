#include <algorithm>
#include <set>

#include "base/formats/character_entities.h"
#include "base/formats/xml_parser.h"
#include "documents/formats.h"
#include "documents/markup_tag.h"

namespace transformer {
namespace {

/// Elements that are part of the sentence around them.
bool is_inline(const std::string& name) {
  static const std::set<std::string> kNames = {
      "a",      "abbr",   "acronym", "b",   "bdi",  "bdo", "big",  "cite", "code", "data", "del",   "dfn",
      "em",     "font",   "i",       "img", "ins",  "kbd", "mark", "q",    "s",    "samp", "small", "span",
      "strike", "strong", "sub",     "sup", "time", "tt",  "u",    "var",  "wbr",  "label"};
  return kNames.contains(name);
}

/// Elements whose content is not a sentence.
bool is_verbatim(const std::string& name) {
  return is_in(name,
               {"script", "style", "pre", "textarea", "svg", "math", "template", "code", "kbd", "samp", "var", "tt"});
}

bool is_void(const std::string& name, std::string_view tag) {
  return tag.ends_with("/>") || is_in(name, {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta",
                                             "source", "track", "wbr"});
}

/// The end of the element whose start tag ends at `at`: behind its end tag, or the document's end.
size_t end_of_element(std::string_view text, size_t at, const std::string& name) {
  const bool is_text = is_in(name, {"script", "style", "textarea"});
  int depth = 1;
  for (at = text.find('<', at); at != std::string_view::npos; at = text.find('<', at + 1)) {
    const MarkupTag tag = tag_at(text, at);
    if (tag.end == 0 || (is_text && !tag.is_end)) continue;
    if (tag.name == name) depth += tag.is_end ? -1 : 1;
    if (depth == 0) return tag.end;
    at = tag.end - 1;
  }
  return text.size();
}

class HtmlDocument {
 public:
  explicit HtmlDocument(std::string bytes) : builder_(std::move(bytes)), text_(builder_.bytes()) {}

  Document read() {
    size_t at = 0;
    while (at < text_.size()) {
      const MarkupTag tag = text_[at] == '<' ? tag_at(text_, at) : MarkupTag{};
      if (tag.end == 0) {
        const size_t next = std::min(text_.find('<', at + 1), text_.size());
        segment_.add_text(without_entities(builder_.bytes(at, next), html_character));
        at = next;
        continue;
      }
      const std::string_view bytes = builder_.bytes(at, tag.end);
      size_t end = tag.end;
      const bool is_kept = !tag.is_end && !tag.name.empty() && !is_void(tag.name, bytes) &&
                           (is_verbatim(tag.name) || attribute_of(bytes, "translate") == "no");
      if (is_kept) end = end_of_element(text_, tag.end, tag.name);
      if (tag.name == "html" && !tag.is_end) document_.language = attribute_of(bytes, "lang");
      if (tag.name.empty() || is_inline(tag.name)) {
        segment_.add_markup(builder_.bytes(at, end));
      } else {
        end_segment(at);
        begin_segment(end);
      }
      at = end;
    }
    end_segment(text_.size());
    document_.parts = builder_.finish();
    document_.escape = escape_xml;
    return std::move(document_);
  }

 private:
  void begin_segment(size_t at) {
    line_ +=
        std::count(text_.begin() + static_cast<ptrdiff_t>(begin_), text_.begin() + static_cast<ptrdiff_t>(at), '\n');
    begin_ = at;
    segment_ = SegmentBuilder(line_);
  }
  void end_segment(size_t at) {
    if (segment_.has_text()) builder_.replace(begin_, at, segment_.finish());
  }

  DocumentBuilder builder_;
  const std::string& text_;
  Document document_;
  SegmentBuilder segment_{1};
  size_t begin_ = 0;  // of the segment
  int64_t line_ = 1;  // of its begin
};

}  // namespace

Document read_html_document(std::string bytes, const DocumentTask&) { return HtmlDocument(std::move(bytes)).read(); }

}  // namespace transformer

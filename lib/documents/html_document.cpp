#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/utf8.h"
#include "base/words.h"
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

bool is_void(const std::string& name, std::string_view tag) {
  return tag.ends_with("/>") || is_in(name, {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta",
                                             "source", "track", "wbr"});
}

/// Elements in which "<" begins no tag but their end tag.
bool is_raw(const std::string& name) { return is_in(name, {"script", "style", "textarea"}); }

/// The elements whose end tags may be omitted, and the start tags that end them.
const std::map<std::string, std::set<std::string>>& ending_tags() {
  static const std::set<std::string> kRows = {"tr", "thead", "tbody", "tfoot"};
  static const std::set<std::string> kCells = {"td", "th", "tr", "thead", "tbody", "tfoot"};
  // A paragraph also ends with the item or cell around it.
  static const std::set<std::string> kBlocks = {
      "address", "article", "aside",      "blockquote", "center", "details", "dialog", "dir",     "div",
      "dl",      "dd",      "dt",         "fieldset",   "figure", "footer",  "form",   "h1",      "h2",
      "h3",      "h4",      "h5",         "h6",         "header", "hgroup",  "hr",     "li",      "main",
      "menu",    "nav",     "figcaption", "ol",         "p",      "pre",     "search", "section", "summary",
      "table",   "td",      "th",         "tr",         "thead",  "tbody",   "tfoot",  "ul"};
  static const std::map<std::string, std::set<std::string>> kTags = {
      {"p", kBlocks},
      {"li", {"li"}},
      {"dt", {"dt", "dd"}},
      {"dd", {"dt", "dd"}},
      {"rt", {"rt", "rp"}},
      {"rp", {"rt", "rp"}},
      {"option", {"option", "optgroup", "hr"}},
      {"optgroup", {"optgroup", "hr"}},
      {"caption", {"col", "colgroup", "tr", "thead", "tbody", "tfoot"}},
      {"colgroup", {"colgroup", "tr", "thead", "tbody", "tfoot"}},
      {"td", kCells},
      {"th", kCells},
      {"tr", kRows},
      {"thead", {"thead", "tbody", "tfoot"}},
      {"tbody", {"thead", "tbody", "tfoot"}},
      {"tfoot", {"thead", "tbody", "tfoot"}}};
  return kTags;
}

/// The end of the element whose start tag ends at `at`: behind its end tag, or the document's end.
size_t end_of_element(std::string_view text, size_t at, const std::string& name) {
  const bool is_text = is_raw(name);
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

/// The same of an element whose end tag may be omitted: it then ends before the tag that ends it.
size_t end_of_open_element(std::string_view text, size_t at, const std::string& name) {
  std::vector<std::string> open = {name};  // without inline elements, which end no other
  for (at = text.find('<', at); at != std::string_view::npos; at = text.find('<', at)) {
    const MarkupTag tag = tag_at(text, at);
    const size_t begin = at;
    at = tag.end == 0 ? begin + 1 : tag.end;
    if (tag.name.empty() || tag.end == 0) continue;
    if (!tag.is_end && is_raw(tag.name)) {
      at = end_of_element(text, tag.end, tag.name);
      continue;
    }
    if (is_inline(tag.name)) continue;
    const bool is_empty = is_void(tag.name, text.substr(begin, tag.end - begin));
    if (tag.is_end) {
      const auto opened = std::find(open.rbegin(), open.rend(), tag.name);
      if (opened != open.rend()) {
        open.erase(std::prev(opened.base()), open.end());
        if (open.empty()) return tag.end;
      } else if (!is_empty && tag.name != "p") {  // no paragraph is open around such an element
        return begin;
      }
      continue;
    }
    for (size_t i = open.size(); i > 0; --i) {
      const auto omissible = ending_tags().find(open[i - 1]);
      if (omissible == ending_tags().end()) break;
      if (omissible->second.contains(tag.name)) open.resize(i - 1);
    }
    if (open.empty()) return begin;
    if (!is_empty) open.push_back(tag.name);
  }
  return text.size();
}

/// Whether the content of an element begins behind the tag with these bytes.
bool begins_content(const MarkupTag& tag, std::string_view bytes) {
  return !tag.is_end && !tag.name.empty() && !is_void(tag.name, bytes);
}

/// The end of the element of a start tag.
size_t end_of(std::string_view text, const MarkupTag& tag) {
  return ending_tags().contains(tag.name) ? end_of_open_element(text, tag.end, tag.name)
                                          : end_of_element(text, tag.end, tag.name);
}

class HtmlDocument {
 public:
  explicit HtmlDocument(std::string bytes) : builder_(std::move(bytes)), text_(builder_.bytes()) {}

  Document read() {
    begin_ = text_.size() - without_byte_order_mark(text_).size();
    read(begin_, text_.size());
    end_segment(text_.size());
    return builder_.finish(escape_xml, std::move(document_));
  }

 private:
  /// Reads a part of the document, and returns where its last element ends.
  size_t read(size_t at, size_t end) {
    while (at < end) {
      const MarkupTag tag = text_[at] == '<' ? tag_at(text_, at) : MarkupTag{};
      if (tag.end == 0) {
        const size_t next = std::min(text_.find('<', at + 1), end);
        add_html_text(segment_, builder_.bytes(at, next));
        at = next;
        continue;
      }
      const std::string_view bytes = builder_.bytes(at, tag.end);
      if (tag.name == "html" && !tag.is_end) document_.language = attribute_of(bytes, "lang");
      const bool begins = begins_content(tag, bytes);
      const bool is_part_of_sentence = tag.name.empty() || is_inline(tag.name);
      size_t end_of_kept = tag.end;
      if (begins && is_verbatim_element(tag.name)) {
        end_of_kept = end_of(text_, tag);
      } else if (begins && lower_case(attribute_of(bytes, "translate")) == "no") {
        end_of_kept = end_of(text_, tag);
        at = read_exceptions(at, tag.end, end_of_kept, is_part_of_sentence);
        end_of_kept = std::max(at, end_of_kept);
      }
      keep(at, end_of_kept, is_part_of_sentence);
      at = end_of_kept;
    }
    return at;
  }

  /// In an element that is not translated and begins at `begin`, reads the elements that are translated nevertheless.
  /// Returns where the last one ends.
  size_t read_exceptions(size_t begin, size_t begin_of_content, size_t end, bool is_part_of_sentence) {
    static constexpr int kMaxDepth = 100;  // of such elements in each other, which take space of the stack
    if (depth_ == kMaxDepth) return begin;
    ++depth_;
    for (size_t at = text_.find('<', begin_of_content); at < end; at = text_.find('<', at)) {
      const MarkupTag tag = tag_at(text_, at);
      const std::string_view bytes = builder_.bytes(at, std::max(tag.end, at));
      const bool is_raw_text = !tag.is_end && is_raw(tag.name);
      const bool begins = begins_content(tag, bytes);
      if (begins && !is_raw_text && lower_case(attribute_of(bytes, "translate")) == "yes") {
        keep(begin, at, is_part_of_sentence);
        at = begin = read(at, std::min(end_of(text_, tag), end));
      } else {
        at = is_raw_text ? end_of(text_, tag) : std::max(tag.end, at + 1);
      }
    }
    --depth_;
    return begin;
  }

  /// Keeps bytes that are markup of a sentence, or end it.
  void keep(size_t begin, size_t end, bool is_part_of_sentence) {
    if (is_part_of_sentence) return segment_.add_markup(builder_.bytes(begin, end));
    end_segment(begin);
    begin_segment(end);
  }
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
  int depth_ = 0;     // of calls of read_exceptions
};

}  // namespace

Document read_html_document(std::string bytes, const DocumentTask&) { return HtmlDocument(std::move(bytes)).read(); }

}  // namespace transformer

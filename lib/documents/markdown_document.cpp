#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <regex>
#include <set>

#include "base/formats/character_entities.h"
#include "base/formats/xml_parser.h"
#include "base/utf8.h"
#include "documents/formats.h"
#include "documents/markup_tag.h"

namespace transformer {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }
bool is_punctuation(char c) { return std::ispunct(static_cast<unsigned char>(c)) != 0; }
bool is_alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0; }

/// The position of the character that makes a text begin a heading, a quotation, a list item or a rule, unless a
/// backslash stands before it; the text's size if none does.
size_t mark_of_block(std::string_view text) {
  const auto is_blank_at = [&](size_t i) { return i >= text.size() || is_blank(text[i]); };
  static constexpr size_t kMaxDigits = 9;  // of a list item's number
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits > 0) {
    const bool is_item = digits <= kMaxDigits && is_in(text.substr(digits, 1), {".", ")"}) && is_blank_at(digits + 1);
    return is_item ? digits : text.size();
  }
  const bool is_mark = is_in(text.substr(0, 1), {"#", "+", "-", "="}) && (is_blank_at(1) || text[1] == text[0]);
  return is_mark || text.starts_with('>') ? 0 : text.size();
}

/// The size of the entity with which the text begins, such as "&amp;" or "&#38;"; 0 if it begins with none.
size_t entity_size(std::string_view text) {
  if (!text.starts_with('&')) return 0;
  size_t end = 1;
  while (end < text.size() && (text[end] == '#' || std::isalnum(static_cast<unsigned char>(text[end])) != 0)) ++end;
  return end < text.size() && text[end] == ';' ? end + 1 : 0;
}

/// A backslash before what would be markup.
std::string escape_markdown(std::string_view text) {
  std::string escaped;
  const size_t mark = mark_of_block(text);
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i], next = i + 1 < text.size() ? text[i + 1] : ' ';
    const bool is_inside_word = i > 0 && is_alphanumeric(text[i - 1]) && is_alphanumeric(next);
    const bool is_markup = is_in(text.substr(i, 1), {"\\", "`", "*", "[", "]", "|"}) || (c == '_' && !is_inside_word) ||
                           (c == '<' && (is_alphanumeric(next) || next == '/' || next == '!' || next == '?')) ||
                           (c == '~' && next == '~') || (c == '&' && (is_alphanumeric(next) || next == '#'));
    if (is_markup || i == mark) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// std::regex needs stack for each byte, so that it searches in the beginning of a line only.
bool begins_with(std::string_view text, const std::regex& expression, std::cmatch& found) {
  static constexpr size_t kSearched = 1000;
  return std::regex_search(text.data(), text.data() + std::min(text.size(), kSearched), found, expression);
}

/// The position of the bracket that closes the one at `open`; the text's end if there is none.
size_t closing(std::string_view text, size_t open, char opens, char closes) {
  static constexpr size_t kSearched = 10000;
  int depth = 0;
  for (size_t i = open; i < std::min(text.size(), open + kSearched); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == opens) {
      ++depth;
    } else if (text[i] == closes && --depth == 0) {
      return i;
    }
  }
  return text.size();
}

/// Adds a paragraph's text, or that of a heading or cell, to a segment.
class InlineText {
 public:
  InlineText(SegmentBuilder& segment, std::string_view text) : segment_(segment), text_(text) {}

  void add() {
    while (at_ < text_.size()) {
      const size_t markup = find_markup();
      if (markup > 0) {
        add_markup(markup);
        continue;
      }
      const bool is_escape = text_[at_] == '\\' && at_ + 1 < text_.size() && is_punctuation(text_[at_ + 1]);
      if (is_escape) ++at_;
      const size_t size = is_escape ? 1 : std::max<size_t>(entity_size(text_.substr(at_)), 1);
      segment_.add_text(without_entities(text_.substr(at_, size), html_character));
      at_ += size;
    }
  }

 private:
  void add_markup(size_t size) {
    segment_.add_markup(text_.substr(at_, size));
    at_ += size;
  }

  /// The size of the markup that begins here; 0 if it is text.
  size_t find_markup() {
    const std::string_view rest = text_.substr(at_);
    if (const auto end = ends_.find(at_); end != ends_.end()) return end->second - at_;
    if (rest[0] == '`') return code_span(rest);
    if (rest[0] == '<') {
      static const std::regex kLink(R"(^<([A-Za-z][A-Za-z0-9+.-]*:[^ <>]*|[^ <>@]+@[^ <>]+)>)");
      std::cmatch found;
      if (begins_with(rest, kLink, found)) return static_cast<size_t>(found.length());
      const size_t end = tag_at(text_, at_).end;
      return end == 0 ? 0 : end - at_;
    }
    if (rest.starts_with("http://") || rest.starts_with("https://")) {
      return std::min(rest.find_first_of(" \t\r\n<>()"), rest.size());
    }
    if (rest[0] == '[' || rest.starts_with("![")) return link(rest[0] == '[' ? at_ : at_ + 1);
    if (rest[0] == '*' || rest[0] == '_' || rest.starts_with("~~")) return emphasis(rest);
    return 0;
  }

  static size_t code_span(std::string_view rest) {
    const size_t size = std::min(rest.find_first_not_of('`'), rest.size());
    for (size_t i = size; i < rest.size();) {
      const size_t begin = rest.find('`', i);
      if (begin == std::string_view::npos) break;
      const size_t end = std::min(rest.find_first_not_of('`', begin), rest.size());
      if (end - begin == size) return end;
      i = end;
    }
    return 0;
  }

  /// Of a link or an image, the text is translated; a reference by its text alone, such as "[name]", and a footnote's
  /// number stay as they are.
  size_t link(size_t open) {
    const size_t close = closing(text_, open, '[', ']');
    if (close == text_.size()) return 0;
    const char next = close + 1 < text_.size() ? text_[close + 1] : ' ';
    size_t end = close;
    if (next == '(') end = closing(text_, close + 1, '(', ')');
    if (next == '[') end = closing(text_, close + 1, '[', ']');
    if (end == text_.size()) return 0;
    if (end == close || end == close + 2) return end + 1 - at_;
    ends_[close] = end + 1;
    return open + 1 - at_;
  }

  size_t emphasis(std::string_view rest) const {
    const size_t size = std::min(rest.find_first_not_of(rest[0]), rest.size());
    const char before = at_ == 0 ? ' ' : text_[at_ - 1], behind = size < rest.size() ? rest[size] : ' ';
    if (is_blank(before) && is_blank(behind)) return 0;
    return rest[0] == '_' && is_alphanumeric(before) && is_alphanumeric(behind) ? 0 : size;
  }

  SegmentBuilder& segment_;
  const std::string_view text_;
  size_t at_ = 0;
  std::map<size_t, size_t> ends_;  // where the text of a link ends: where the link does
};

/// Markdown as CommonMark defines it, with tables, footnotes and front matter.
class MarkdownDocument {
 public:
  explicit MarkdownDocument(std::string bytes) : builder_(std::move(bytes)), text_(builder_.bytes()) {}

  Document read() {
    for (size_t begin = text_.size() - without_byte_order_mark(text_).size(); begin < text_.size();) {
      const size_t end = std::min(text_.find('\n', begin), text_.size());
      ++line_;
      read_line(begin, end);
      begin = end + 1;
    }
    end_paragraph();
    Document document;
    document.parts = builder_.finish();
    document.escape = escape_markdown;
    return document;
  }

 private:
  void read_line(size_t begin, size_t end) {
    const size_t last = builder_.bytes(begin, end).find_last_not_of(kBlanks);
    const size_t text_end = last == std::string_view::npos ? begin : begin + last + 1;
    const std::string_view whole = builder_.bytes(begin, text_end);
    if (line_ == 1 && (whole == "---" || whole == "+++")) {
      fence_ = whole;
      return;
    }
    size_t at = begin;
    const bool is_new_block = skip_containers(at, text_end);
    const std::string_view rest = builder_.bytes(at, text_end);
    if (!fence_.empty()) {
      const bool closes = rest.starts_with(fence_) && rest.find_first_not_of(fence_[0]) == std::string_view::npos;
      if (closes) fence_.clear();
      return;
    }
    if (rest.empty()) {
      end_paragraph();
      in_html_ = false;
      return;
    }
    if (in_html_) return;
    if (rest.starts_with("```") || rest.starts_with("~~~")) {
      end_paragraph();
      fence_ = rest.substr(0, rest.find_first_not_of(rest[0]));
      return;
    }
    if (is_new_block) end_paragraph();
    if (!has_paragraph_ && !in_list_ && whole.starts_with("    ")) return;  // code
    if (is_verbatim(rest)) return end_paragraph();
    if (!has_paragraph_ && begins_html(rest)) {
      in_html_ = true;
      return;
    }
    if (rest[0] == '|') return read_cells(at, text_end);
    if (const size_t marks = rest.find_first_not_of('#');
        marks > 0 && marks <= 6 && marks != std::string_view::npos && is_blank(rest[marks])) {
      end_paragraph();
      const size_t text_behind = rest.find_last_not_of("# \t") + 1;
      add_to_paragraph(at + marks, at + std::max(text_behind, marks));
      return end_paragraph();
    }
    // Two blanks or a backslash at the end of a line break it.
    const bool is_hard_break =
        builder_.bytes(text_end, end).starts_with("  ") || (rest.ends_with('\\') && !rest.ends_with("\\\\"));
    add_to_paragraph(at, rest.ends_with('\\') && is_hard_break ? text_end - 1 : text_end);
    if (is_hard_break) end_paragraph();
  }

  /// Moves behind the marks of quotations and list items; returns whether a block begins here: a list item, or a
  /// quotation within the one before.
  bool skip_containers(size_t& at, size_t end) {
    static const std::regex kItem(R"(^([-+*]|[0-9]{1,9}[.)]|\[\^[^\]]+\]:)([ \t]+(\[[ xX]\][ \t]+)?|$))");
    bool is_item = false;
    int depth = 0;
    const bool is_indented = at < end && is_blank(text_[at]);
    if (!is_indented && !has_paragraph_) in_list_ = false;
    while (at < end) {
      if (is_blank(text_[at]) || text_[at] == '>') {
        if (text_[at] == '>') ++depth;
        ++at;
        continue;
      }
      std::cmatch found;
      const std::string_view rest = builder_.bytes(at, end);
      if (!fence_.empty() || is_rule(rest) || !begins_with(rest, kItem, found)) break;
      is_item = in_list_ = true;
      at += static_cast<size_t>(found.length());
    }
    const bool is_deeper = depth > quotation_depth_;
    if (is_item || is_deeper || !has_paragraph_) quotation_depth_ = depth;
    return is_item || is_deeper;
  }

  static bool is_rule(std::string_view rest) {
    const char mark = rest[0];
    if (mark != '-' && mark != '*' && mark != '_' && mark != '=') return false;
    const std::array<char, 3> allowed = {mark, ' ', '\t'};
    const auto count = std::count(rest.begin(), rest.end(), mark);
    return rest.find_first_not_of(allowed.data(), 0, allowed.size()) == std::string_view::npos &&
           (count >= 3 || mark == '=' || rest.size() == 2);
  }

  /// Rules and underlines of headings, the second line of a table, and definitions of references.
  static bool is_verbatim(std::string_view rest) {
    std::cmatch found;
    static const std::regex kDefinition(R"(^\[[^\^\]][^\]]*\]:)");
    const bool is_table_rule = rest.find('|') != std::string_view::npos && rest.find('-') != std::string_view::npos &&
                               rest.find_first_not_of("|-: \t") == std::string_view::npos;
    return is_rule(rest) || is_table_rule || begins_with(rest, kDefinition, found);
  }

  /// A tag that is alone on its line or of a block, or a comment.
  static bool begins_html(std::string_view rest) {
    if (rest[0] != '<') return false;
    const MarkupTag tag = tag_at(rest, 0);
    static const std::set<std::string> kBlocks = {
        "div", "p",  "table",  "details", "summary", "pre",    "script",  "style",  "ul",     "ol", "li", "h1", "h2",
        "h3",  "h4", "center", "picture", "iframe",  "figure", "section", "header", "footer", "tr", "td", "th"};
    return rest.starts_with("<!--") || (tag.end != 0 && (tag.end == rest.size() || kBlocks.contains(tag.name)));
  }

  void read_cells(size_t begin, size_t end) {
    end_paragraph();
    for (size_t cell = begin + 1; cell < end;) {
      size_t bar = cell;
      while (bar < end && (text_[bar] != '|' || text_[bar - 1] == '\\')) ++bar;
      add_to_paragraph(cell, bar);
      end_paragraph();
      cell = bar + 1;
    }
  }

  void add_to_paragraph(size_t begin, size_t end) {
    if (!has_paragraph_) {
      has_paragraph_ = true;
      begin_ = begin;
      paragraph_line_ = line_;
    } else {
      paragraph_ += '\n';
    }
    paragraph_ += builder_.bytes(begin, end);
    end_ = end;
  }

  void end_paragraph() {
    if (!has_paragraph_) return;
    SegmentBuilder segment(paragraph_line_);
    InlineText(segment, paragraph_).add();
    if (segment.has_text()) builder_.replace(begin_, end_, segment.finish());
    has_paragraph_ = false;
    paragraph_.clear();
  }

  DocumentBuilder builder_;
  const std::string& text_;
  int64_t line_ = 0;
  std::string fence_;  // that ends the code, or the front matter, around the current line
  bool in_list_ = false, in_html_ = false, has_paragraph_ = false;
  int quotation_depth_ = 0;
  std::string paragraph_;  // its lines without the marks of quotations
  size_t begin_ = 0, end_ = 0;
  int64_t paragraph_line_ = 0;
};

}  // namespace

Document read_markdown_document(std::string bytes, const DocumentTask&) {
  return MarkdownDocument(std::move(bytes)).read();
}

}  // namespace transformer

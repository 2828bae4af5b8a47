#include <md4c.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <vector>

#include "base/words.h"
#include "documents/formats.h"
#include "documents/markdown_input.h"
#include "documents/markdown_spans.h"
#include "documents/markup_places.h"
#include "documents/markup_tag.h"

namespace transformer {
namespace {

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

/// Where the marks begin that close a heading with this text, a run of "#" behind a blank; the text's size if it has
/// none.
size_t closing_marks(std::string_view text) {
  const size_t begin = text.find_last_not_of('#') + 1;
  return begin > 0 && is_blank(text[begin - 1]) ? begin : text.size();
}

/// A backslash before what would be markup.
std::string escape_markdown(std::string_view text) {
  std::string escaped;
  const size_t mark = mark_of_block(text), closing = closing_marks(text);
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i], next = i + 1 < text.size() ? text[i + 1] : ' ';
    const bool is_inside_word = i > 0 && is_alphanumeric(text[i - 1]) && is_alphanumeric(next);
    const bool is_markup = is_in(text.substr(i, 1), {"\\", "`", "*", "[", "]", "|"}) || (c == '_' && !is_inside_word) ||
                           (c == '@' && is_inside_word) ||
                           (c == '<' && (is_alphanumeric(next) || next == '/' || next == '!' || next == '?')) ||
                           (c == '~' && (next == '~' || (i > 0 && !is_blank(text[i - 1])))) ||
                           (c == '&' && (is_alphanumeric(next) || next == '#'));
    if (is_markup || i == mark || i == closing) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

bool is_link(MD_SPANTYPE type) { return type == MD_SPAN_A || type == MD_SPAN_IMG; }

/// Whether the text of a link is its address.
bool is_address(std::string_view text, std::string_view address) {
  for (const std::string_view scheme : {"", "mailto:", "http://", "https://"}) {
    if (address.starts_with(scheme) && address.substr(scheme.size()) == text) return true;
  }
  return false;
}

/// Markdown as CommonMark and GitHub define it, with footnotes and front matter. md4c tells where the text is; the
/// bytes between its pieces in a block are markup.
class MarkdownDocument {
 public:
  explicit MarkdownDocument(std::string bytes) : builder_(std::move(bytes)), text_(builder_.bytes()), input_(text_) {}

  Document read() {
    MD_PARSER parser = {};
    parser.flags = MD_DIALECT_GITHUB;
    parser.enter_block = [](MD_BLOCKTYPE type, void*, void* self) {
      return guard(self, [&](MarkdownDocument& document) {
        document.end_block();
        document.is_verbatim_ = type == MD_BLOCK_CODE || type == MD_BLOCK_HTML;
      });
    };
    parser.leave_block = [](MD_BLOCKTYPE, void*, void* self) {
      return guard(self, [&](MarkdownDocument& document) { document.end_block(); });
    };
    parser.enter_span = [](MD_SPANTYPE type, void*, void* self) {
      return guard(self, [&](MarkdownDocument& document) { document.begin_span(type); });
    };
    parser.leave_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return guard(self, [&](MarkdownDocument& document) {
        // The detail of an image begins as that of a link does.
        if (is_link(type)) document.end_link(static_cast<const MD_SPAN_A_DETAIL*>(detail)->href);
        document.end_span(type);
      });
    };
    parser.text = [](MD_TEXTTYPE type, const char* text, unsigned size, void* self) {
      return guard(self, [&](MarkdownDocument& document) { document.add(type, {text, size}); });
    };
    const std::string& input = input_.text();
    const int status = md_parse(input.data(), static_cast<unsigned>(input.size()), &parser, this);
    if (failure_) std::rethrow_exception(failure_);
    if (status != 0) throw std::bad_alloc();
    return builder_.finish(escape_markdown);
  }

 private:
  /// A piece of a block; all of them are in the order of the document.
  struct Piece {
    enum Kind { text, entity, line_break, markup, opening, closing } kind;
    ByteRange place;
  };

  /// A span that is open. What opens it is empty if it stands before the next text, is not known or is nothing, as of
  /// an address without brackets.
  struct Span {
    MD_SPANTYPE type;
    std::string_view opening = {};
    bool is_piece = false;  // what opens it is a piece
  };

  /// Exceptions must not pass through md4c, which is written in C.
  template <class Function>
  static int guard(void* self, const Function& function) {
    auto& document = *static_cast<MarkdownDocument*>(self);
    try {
      function(document);
      return 0;
    } catch (...) {
      document.failure_ = std::current_exception();
      return 1;
    }
  }

  void begin_span(MD_SPANTYPE type) {
    if (is_link(type)) links_.push_back(pieces_.size());
    spans_.push_back({type});
    ++num_unplaced_;
  }

  /// What closes spans stands directly behind the text that has ended; what opens them, directly before the next one.
  void end_span(MD_SPANTYPE type) {
    if (spans_.empty()) return;
    const Span span = spans_.back();
    spans_.pop_back();
    if (num_unplaced_ > 0) {  // there is no text in it
      --num_unplaced_;
      has_lost_place_ = true;
    }
    if (has_lost_place_) return;
    if (type == MD_SPAN_A && span.opening.empty()) return;
    const size_t size = closing_size(std::string_view(text_).substr(end_), type);
    if (span.is_piece && size > 0 && element_.empty()) pieces_.push_back({Piece::closing, {end_, end_ + size}});
    end_ += size;
  }

  /// Places what opens spans before the text that begins here.
  void place_openings(size_t begin) {
    size_t at = begin > end_ && text_[begin - 1] == '\\' ? begin - 1 : begin;
    std::vector<Piece> openings;
    for (size_t i = spans_.size(); i > spans_.size() - num_unplaced_; --i) {
      Span& span = spans_[i - 1];
      const size_t size = opening_size(bytes({end_, at}), span.type);
      if (size == 0 && span.type != MD_SPAN_A) break;
      at -= size;
      span.opening = bytes({at, at + size});
      span.is_piece = size > 0 && element_.empty() && span.type != MD_SPAN_CODE && span.opening != "<";
      if (span.is_piece) openings.push_back({Piece::opening, {at, at + size}});
    }
    pieces_.insert(pieces_.end(), openings.rbegin(), openings.rend());
    if (!first_) first_ = at;
    num_unplaced_ = 0;
    has_lost_place_ = false;
  }

  /// A link whose text is its address, and a reference by its text alone, stay as they are.
  void end_link(const MD_ATTRIBUTE& attribute) {
    if (links_.empty()) return;  // md4c 0.4.8 ends some broken links that it has not begun
    const size_t first_piece = links_.back();
    links_.pop_back();
    const std::string_view address(attribute.text, attribute.size);
    std::string text;
    for (size_t i = first_piece; i < pieces_.size() && text.size() <= address.size(); ++i) {
      const bool is_text = pieces_[i].kind != Piece::opening && pieces_[i].kind != Piece::closing;
      if (is_text) text += bytes(pieces_[i].place);
    }
    if (!is_address(text, address) && names_address()) return;
    pieces_.resize(first_piece);
    if (!spans_.empty()) spans_.back().is_piece = false;
  }

  /// Whether the link whose text has ended names an address or a reference behind the text.
  bool names_address() const {
    const size_t close = std::min(text_.find(']', end_), text_.size() - 1);
    const std::string_view behind = std::string_view(text_).substr(close + 1, 2);
    return behind.starts_with('(') || (behind.starts_with('[') && behind != "[]");
  }

  void add(MD_TEXTTYPE type, std::string_view text) {
    if (is_verbatim_) return;
    if (type == MD_TEXT_BR && element_.empty()) return end_segment();
    if (type == MD_TEXT_SOFTBR && element_.empty() && !has_open_line_break()) {
      pieces_.push_back({Piece::line_break, {end_, end_}});
    }
    const std::optional<ByteRange> place = find(text);
    if (!place) return;
    if (has_open_line_break()) place_line_break(place->begin);
    place_openings(place->begin);
    end_ = place->end;
    if (type == MD_TEXT_HTML) add_tag(*place);
    if (!element_.empty()) return;
    if (type == MD_TEXT_ENTITY) pieces_.push_back({Piece::entity, *place});
    if (type == MD_TEXT_NORMAL) add_text(*place);
  }

  /// The place in the document of text from md4c; nothing for text that only md4c has, such as a line break.
  std::optional<ByteRange> find(std::string_view text) const {
    const char *begin = input_.text().data(), *end = begin + input_.text().size();
    if (std::less<>()(text.data(), begin) || !std::less<>()(text.data(), end)) return {};
    const auto at = static_cast<size_t>(text.data() - begin);
    return ByteRange{input_.position(at), input_.position(at + text.size())};
  }

  /// Whether the last piece is a line break whose place is not known yet.
  bool has_open_line_break() const {
    if (pieces_.empty() || pieces_.back().kind != Piece::line_break) return false;
    return pieces_.back().place.begin == pieces_.back().place.end;
  }

  /// The line break is the last one before the next text, with the blanks and the marks of quotations around it.
  void place_line_break(size_t next) {
    const std::string_view between = bytes({end_, next});
    const size_t newline = between.find_last_of("\r\n");
    if (newline == std::string_view::npos) return;
    pieces_.back().place = {end_ + between.find_last_not_of(kBlanks, newline) + 1,
                            end_ + std::min(between.find_first_not_of("> \t", newline + 1), between.size())};
  }

  /// Adds what of a text is no mark of a footnote.
  void add_text(ByteRange place) {
    const auto& marks = input_.footnote_marks();
    auto mark = std::upper_bound(marks.begin(), marks.end(), place.begin,
                                 [](size_t begin, const ByteRange& other) { return begin < other.end; });
    for (; mark != marks.end() && mark->begin < place.end; ++mark) {
      if (place.begin < mark->begin) pieces_.push_back({Piece::text, {place.begin, mark->begin}});
      place.begin = std::min(mark->end, place.end);
    }
    // Without its backslash, an exclamation mark would make an image of the link behind it.
    const bool is_escaped_before_link = bytes(place) == "!" && bytes({place.end, place.end + 1}) == "[";
    if (place.begin < place.end && !is_escaped_before_link) pieces_.push_back({Piece::text, place});
  }

  /// The content of elements such as <code> stays as it does in HTML.
  void add_tag(ByteRange place) {
    const MarkupTag tag = tag_at(text_, place.begin);
    const bool is_outside = element_.empty();
    if (element_.empty() && !tag.is_end && is_verbatim_element(tag.name) && text_[tag.end - 2] != '/') {
      element_ = tag.name;
      depth_ = 1;
    } else if (!element_.empty() && tag.name == element_) {
      depth_ += tag.is_end ? -1 : 1;
      if (depth_ == 0) element_.clear();
    }
    if (is_outside && element_.empty() && tag.end == place.end) pieces_.push_back({Piece::markup, place});
  }

  void end_block() {
    end_segment();
    is_verbatim_ = false;
    element_.clear();
    links_.clear();
    spans_.clear();
    num_unplaced_ = 0;
    has_lost_place_ = false;
  }

  void end_segment() {
    const auto is_text = [](const Piece& piece) { return piece.kind != Piece::line_break; };
    pieces_.erase(std::find_if(pieces_.rbegin(), pieces_.rend(), is_text).base(), pieces_.end());
    pieces_.erase(pieces_.begin(), std::find_if(pieces_.begin(), pieces_.end(), is_text));
    if (!pieces_.empty()) add_segment();
    pieces_.clear();
    first_.reset();
    std::fill(links_.begin(), links_.end(), 0);
  }

  void add_segment() {
    const size_t begin = begin_of(pieces_.front());
    line_ += std::count(text_.begin() + static_cast<ptrdiff_t>(counted_), text_.begin() + static_cast<ptrdiff_t>(begin),
                        '\n');
    counted_ = begin;
    SegmentBuilder segment(line_, /*is_markdown=*/true);
    bool has_words = false;
    for (const Piece& piece : with_markup_between()) {
      const std::string_view content = bytes(piece.place);
      has_words = has_words || (piece.kind == Piece::text && has_letter_or_digit(content));
      if (piece.kind == Piece::line_break) segment.add_text(" ");
      if (piece.kind == Piece::entity) add_entity(segment, content);
      if (piece.kind == Piece::text) segment.add_text(content);
      if (piece.kind == Piece::markup) segment.add_markup(content);
      if (piece.kind == Piece::opening) segment.add_markup(content, MarkupRole::opens);
      if (piece.kind == Piece::closing) segment.add_markup(content, MarkupRole::closes);
    }
    if (!has_words) return;
    builder_.replace(*first_, end_, segment.finish());
  }

  /// The pieces and what is between and beside them.
  std::vector<Piece> with_markup_between() const {
    std::vector<Piece> all;
    size_t at = *first_;
    for (const Piece& piece : pieces_) {
      add_markup(all, {at, begin_of(piece)});
      all.push_back(piece);
      at = std::max(at, piece.place.end);
    }
    add_markup(all, {at, end_});
    return all;
  }

  /// Adds bytes as markup. What has no words between two code spans belongs to them.
  void add_markup(std::vector<Piece>& all, ByteRange place) const {
    if (place.begin >= place.end) return;
    if (all.size() > 1 && is_code_before_marks(all)) {
      all.pop_back();
      all.back().place.end = place.end;
    } else {
      all.push_back({Piece::markup, place});
    }
  }

  /// Whether the last piece has neither words nor the end of a sentence, and stands behind a code span or the like.
  bool is_code_before_marks(const std::vector<Piece>& all) const {
    const Piece &code = all[all.size() - 2], &marks = all.back();
    const std::string_view text = bytes(marks.place);
    const bool ends_sentence = text.find_first_of(".!?") != std::string_view::npos;
    return code.kind == Piece::markup && text_[code.place.begin] != '<' && marks.kind == Piece::text &&
           !has_letter_or_digit(text) && !ends_sentence;
  }

  /// Where a piece begins, with the backslash that escapes it.
  size_t begin_of(const Piece& piece) const {
    const size_t begin = piece.place.begin;
    return piece.kind == Piece::text && begin > 0 && text_[begin - 1] == '\\' ? begin - 1 : begin;
  }

  std::string_view bytes(ByteRange place) const { return builder_.bytes(place.begin, place.end); }

  DocumentBuilder builder_;
  const std::string& text_;
  const MarkdownInput input_;
  std::exception_ptr failure_;
  std::vector<Piece> pieces_;    // of the current segment
  std::vector<size_t> links_;    // that are open: how many pieces there are before them
  std::vector<Span> spans_;      // that are open
  size_t num_unplaced_ = 0;      // of them: those that begin behind the last text
  bool has_lost_place_ = false;  // it is not known what closes spans behind the last text
  std::optional<size_t> first_;  // byte of the current segment
  size_t end_ = 0;               // of the last text from md4c, and of what closes spans behind it
  bool is_verbatim_ = false;     // the current block
  std::string element_;          // that is open and whose content stays as it is
  int depth_ = 0;                // of elements with this name
  size_t counted_ = 0;           // bytes whose lines are counted in `line_`
  int64_t line_ = 1;             // in which the last segment begins
};

}  // namespace

Document read_markdown_document(std::string bytes, const DocumentTask&) {
  return MarkdownDocument(std::move(bytes)).read();
}

}  // namespace transformer

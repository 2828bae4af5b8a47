#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transformer {

/// Whether markup begins or ends what it belongs to.
enum class MarkupRole { stands_alone, opens, closes };

/// Markup inside a segment, which the model does not see.
struct InlineMarkup {
  size_t position;             // in the segment's text
  std::string bytes;           // as they are in the document
  bool is_line_break = false;  // it takes the place of the blank at `position`
  MarkupRole role = MarkupRole::stands_alone;
};

/// A text of a document that is translated as a whole.
struct Segment {
  std::string text;                       // one line, without blanks at its ends and without markup
  int64_t line = 0;                       // at which it begins in the document
  std::vector<InlineMarkup> markup = {};  // by position; at the text's ends only what must not be parted from it
  bool is_markdown = false;               // what is beside its markup tells what it means
};

/// Bytes that stay as they are, and the segment behind them.
struct DocumentPart {
  std::string verbatim;
  std::optional<Segment> segment = {};
};

/// Where in a translation the source position is: of each sentence's begin, and the lengths of both.
struct MatchingPositions {
  size_t source, target;
};

/// Writes text so that a reader of the format finds it again.
using Escape = std::string (*)(std::string_view text);

/// A document to translate: what is between the segments is copied byte for byte.
struct Document {
  std::vector<DocumentPart> parts;
  Escape escape;
  std::string encoding;     // of the file, if it is not UTF-8; a name that ICU knows
  std::string language;     // of the segments, if the document tells it
  int64_t num_kept = 0;     // units whose translation is left as it is, because they are marked so
  int64_t num_without = 0;  // units that lack the language to translate from

  /// The segments in their order.
  std::vector<const Segment*> segments() const;
};

/// The translation of a segment with the segment's markup, as the document has it. Markup keeps its order and moves to
/// the word boundary nearest to the same relative position, between the given positions of the sentences.
std::string with_markup(const Segment& segment, std::string_view translation,
                        const std::vector<MatchingPositions>& positions, Escape escape);

/// Makes a segment of text and markup.
class SegmentBuilder {
 public:
  explicit SegmentBuilder(int64_t line = 0, bool is_markdown = false) : line_(line), is_markdown_(is_markdown) {}

  /// Adds text without escapes. Line breaks in it become spaces, or stay where `keep_line_breaks` is set.
  void add_text(std::string_view text, bool keep_line_breaks = false);
  /// Adds markup, whose role is that of its tag.
  void add_markup(std::string_view bytes);
  void add_markup(std::string_view bytes, MarkupRole role);
  /// Whether there is more than blanks and invisible characters.
  bool has_text() const;

  /// What was added: the segment, and the blanks and the markup around it; without text everything is in `before`.
  struct Content {
    std::string before;
    std::optional<Segment> segment;
    std::string after;
  };
  Content finish() const;

 private:
  struct Item {
    bool is_markup, keeps_line_breaks;
    std::string bytes;
    MarkupRole role = MarkupRole::stands_alone;
  };
  int64_t line_;
  bool is_markdown_;
  std::vector<Item> items_;
  size_t size_ = 0;
};

/// Divides the bytes of a document into its parts.
class DocumentBuilder {
 public:
  explicit DocumentBuilder(std::string bytes) : bytes_(std::move(bytes)) {}

  const std::string& bytes() const { return bytes_; }
  std::string_view bytes(size_t begin, size_t end) const { return std::string_view(bytes_).substr(begin, end - begin); }
  /// Replaces bytes of the document. Calls are in any order; ranges must not overlap.
  void replace(size_t begin, size_t end, std::string bytes);
  /// Replaces them by a segment with what is around it, which is translated.
  void replace(size_t begin, size_t end, SegmentBuilder::Content content);
  /// Replaces them by several segments.
  void replace(size_t begin, size_t end, std::vector<SegmentBuilder::Content> contents);
  /// The document, to which the parts and this function are added.
  Document finish(Escape escape, Document document = {});

 private:
  struct Change {
    size_t begin, end;
    SegmentBuilder::Content content;
  };
  const std::string bytes_;
  std::vector<Change> changes_;  // by position
};

/// For formats without escapes: the text itself.
std::string unescaped(std::string_view text);

/// For XML, HTML and SGML. Control characters, which XML has not, become spaces.
std::string escape_xml(std::string_view text);

}  // namespace transformer

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "documents/document.h"

namespace transformer {

/// The size of the mark with which a line begins that is a heading or an item of a list, such as "# " or "- ", with the
/// blanks around it; 0 if it begins with none.
size_t mark_size(std::string_view line);

/// Which line breaks in a text divide it into segments: none, those that are not followed by the indentation with which
/// programs wrap XML, or all. Those of a blank line and before the mark of a heading or item are never such wrapping.
enum class DividingBreaks { none, unindented, all };

/// Makes segments of a text that may have several lines. Line breaks that do not divide it become spaces. If there are
/// several segments, the marks of headings and items stay before them.
class SegmentLines {
 public:
  SegmentLines(int64_t line, DividingBreaks breaks) : line_(line), breaks_(breaks) {}

  /// Adds text without escapes.
  void add_text(std::string_view text);
  void add_markup(std::string_view bytes);
  /// Adds markup that is a line break.
  void add_line_break(std::string_view bytes);

  /// The segments, of which the first one's `before` to the last one's `after` are the whole text. There is at least
  /// one, which may be without text.
  std::vector<SegmentBuilder::Content> finish() const;

 private:
  enum class Kind { text, markup, line_break };
  struct Item {
    Kind kind;
    std::string bytes;
  };
  /// The items, in which each line break that begins a new segment is an item of its own and not part of a text.
  std::vector<Item> divided() const;

  int64_t line_;
  DividingBreaks breaks_;
  std::vector<Item> items_;
};

}  // namespace transformer

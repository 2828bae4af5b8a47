#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace transformer {

/// Bytes of a document.
struct ByteRange {
  size_t begin, end;
};

/// The text of a Markdown document for md4c. Front matter is left out, and what md4c does not know is replaced by what
/// has the same place in a document:
///
///     [^1]            (xx)            the mark of a footnote
///     [^1]: text      -   x text      a footnote is an item, to which indented paragraphs belong
///     > [!NOTE]       > *******       the first line of an alert stays as it is, as a rule does
///     |-|:-:|         |---|:---:|     md4c 0.4 wants three characters for each column
///
/// and the first line of a table that follows text gets a blank line before it.
class MarkdownInput {
 public:
  /// Keeps the view.
  explicit MarkdownInput(std::string_view document);

  const std::string& text() const { return text_; }
  /// Where in the document this position of the text is.
  size_t position(size_t at) const;
  /// The marks of footnotes in the document.
  const std::vector<ByteRange>& footnote_marks() const { return footnote_marks_; }

 private:
  void add_line(size_t begin, size_t end);
  void add_table_rule(std::string_view line);
  void add(std::string_view bytes);

  const std::string_view document_;
  size_t begin_;  // of the text in the document
  std::string text_;
  std::vector<size_t> added_;  // positions in the text of what the document does not have
  std::vector<ByteRange> footnote_marks_;
};

}  // namespace transformer

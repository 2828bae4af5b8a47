#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/line_reader.h"
#include "trees/tree.h"

namespace transformer {

/// Builds trees from the lines of a text. A tree may extend over several lines, and whitespace between brackets is
/// ignored. The first name in a bracket is its label, which the outermost brackets of treebanks lack: "( (S ...) )".
/// Throws Error with path:line if the text has another form.
class TreeBuilder {
 public:
  explicit TreeBuilder(const std::string& path) : path_(shown_path(path)) {}

  /// Adds a line, which is number `line` of the text. A byte order mark at the beginning of line 1 is ignored.
  void add_line(std::string_view text, int64_t line);
  /// Stores the next complete tree in `tree`; returns false if there is none.
  bool next(Tree& tree);
  /// Must be called at the end of the text. Throws Error, whose message ends with `advice`, if a bracket is still open.
  void finish(const char* advice = "") const;

 private:
  struct OpenBracket {
    Tree tree;
    int64_t line;
    bool has_label = false;
  };
  void add_name(std::string_view name, int64_t line);
  void close(int64_t line);

  std::string path_;
  std::vector<OpenBracket> open_;  // the outermost first
  std::deque<Tree> whole_;
};

/// Reads the trees of a file such as the Penn Treebank's .mrg one by one. The file may be plain or gzip-compressed; "-"
/// is stdin.
class TreeReader {
 public:
  explicit TreeReader(const std::string& path) : lines_(path), builder_(path) {}

  /// Stores the next tree in `tree`; returns false at the end. Throws Error with path:line if the text is not a tree.
  bool next(Tree& tree);
  /// The line in which the latest tree ends.
  int64_t line_number() const { return lines_.line_number(); }

 private:
  LineReader lines_;
  TreeBuilder builder_;
};

/// The trees of a line, which must all be complete.
std::vector<Tree> trees_of_line(std::string_view text, const std::string& path, int64_t line);

}  // namespace transformer

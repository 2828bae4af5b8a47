#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/line_reader.h"
#include "trees/tree.h"

namespace transformer {

/// Puts trees together out of the lines of a text, over which a tree may stretch. Between brackets blanks mean nothing;
/// the first name in a bracket is its label, which the treebank's outermost brackets lack: "( (S ...) )". Whatever is
/// no such text is an Error with path:line.
class TreeBuilder {
 public:
  explicit TreeBuilder(std::string path) : path_(std::move(path)) {}

  void add_line(std::string_view text, int64_t line);
  /// The next whole tree; false where there is none.
  bool next(Tree& tree);
  /// To be called at the end of the text, where no bracket may be open.
  void finish() const;

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

/// Reads the trees of a file one by one, such as the Penn Treebank's .mrg; plain or gzip-compressed, "-" is stdin.
class TreeReader {
 public:
  explicit TreeReader(const std::string& path) : lines_(path), builder_(path) {}

  /// The next tree; false at the end. Throws Error, with path:line, where the text is not trees.
  bool next(Tree& tree);

 private:
  LineReader lines_;
  TreeBuilder builder_;
};

/// The trees of a line that holds whole ones, if any.
std::vector<Tree> trees_of_line(std::string_view text, const std::string& path, int64_t line);

}  // namespace transformer

#include "trees/tree_reader.h"

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"

namespace transformer {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";
constexpr std::string_view kNoName = " \t\r\n\f\v()";

}  // namespace

void TreeBuilder::add_line(std::string_view text, int64_t line) {
  if (line == 1) text = without_byte_order_mark(text);
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.empty()) return;
    if (text[0] == '(') {
      if (open_.size() == kMaxTreeDepth + 2) {  // with the root and the tag
        throw Error("{}:{}: more than {} nested brackets; is this file a treebank?", path_, line, kMaxTreeDepth);
      }
      open_.push_back({Tree(), line});
      text.remove_prefix(1);
    } else if (text[0] == ')') {
      close(line);
      text.remove_prefix(1);
    } else {
      const size_t length = std::min(text.find_first_of(kNoName), text.size());
      add_name(text.substr(0, length), line);
      text.remove_prefix(length);
    }
  }
}

void TreeBuilder::add_name(std::string_view name, int64_t line) {
  if (open_.empty()) {
    throw Error("{}:{}: '{}' is outside of all brackets; a tree looks like (S (NP (NN rain)))", path_, line, name);
  }
  OpenBracket& bracket = open_.back();
  Tree& tree = bracket.tree;
  if (!bracket.has_label && tree.children.empty()) {
    tree.label = name;
    bracket.has_label = true;
  } else if (tree.is_word() || !tree.children.empty()) {
    throw Error("{}:{}: '{}' is unexpected; a bracket contains a label and then one word, or other brackets", path_,
                line, name);
  } else {
    tree.word = name;
  }
}

void TreeBuilder::close(int64_t line) {
  if (open_.empty()) {
    throw Error("{}:{}: brackets are not balanced: no bracket is open for this ')'; remove it", path_, line);
  }
  Tree tree = std::move(open_.back().tree);
  open_.pop_back();
  if (open_.empty()) {
    whole_.push_back(std::move(tree));
    return;
  }
  Tree& parent = open_.back().tree;
  if (parent.is_word()) {
    throw Error(
        "{}:{}: a bracket follows the word '{}'; a bracket contains a label and then one word, or other brackets",
        path_, line, parent.word);
  }
  parent.children.push_back(std::move(tree));
}

bool TreeBuilder::next(Tree& tree) {
  if (whole_.empty()) return false;
  tree = std::move(whole_.front());
  whole_.pop_front();
  return true;
}

void TreeBuilder::finish(const char* advice) const {
  if (open_.empty()) return;
  throw Error("{}:{}: brackets are not balanced: the tree that begins here lacks {} ')' at its end{}", path_,
              open_.front().line, open_.size(), advice);
}

bool TreeReader::next(Tree& tree) {
  std::string line;
  while (!builder_.next(tree)) {
    if (!lines_.next(line)) {
      builder_.finish();
      return false;
    }
    builder_.add_line(line, lines_.line_number());
  }
  return true;
}

std::vector<Tree> trees_of_line(std::string_view text, const std::string& path, int64_t line) {
  TreeBuilder builder(path);
  builder.add_line(text, line);
  builder.finish(
      "; `transformer trees linearize --trees FILE` writes trees that extend over several lines into one each");
  std::vector<Tree> trees;
  for (Tree tree; builder.next(tree);) trees.push_back(std::move(tree));
  return trees;
}

}  // namespace transformer

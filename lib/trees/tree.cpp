#include "trees/tree.h"

namespace transformer {
namespace {

void collect_words(const Tree& tree, std::vector<const Tree*>& words) {
  if (tree.is_word()) words.push_back(&tree);
  for (const Tree& child : tree.children) collect_words(child, words);
}

void append_text(const Tree& tree, std::string& text) {
  text += "(" + tree.label;
  if (tree.is_word()) text += " " + tree.word;
  for (const Tree& child : tree.children) {
    text += ' ';
    append_text(child, text);
  }
  text += ')';
}

}  // namespace

std::vector<const Tree*> words_of(const Tree& tree) {
  std::vector<const Tree*> words;
  collect_words(tree, words);
  return words;
}

std::string tree_text(const Tree& tree) {
  std::string text;
  append_text(tree, text);
  return text;
}

}  // namespace transformer

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transformer {

/// The root's label once a tree is cleaned.
inline constexpr std::string_view kRootLabel = "TOP";

/// Brackets within each other that a tree may have, root and tags not counted; the Penn Treebank needs about 40.
inline constexpr size_t kDeepestTree = 1000;

/// A constituency tree, or a part of one: a word with its part-of-speech tag as label, or a bracket around such nodes.
struct Tree {
  std::string label;
  std::string word;  // empty in a bracket
  std::vector<Tree> children;

  bool is_word() const { return !word.empty(); }
  bool operator==(const Tree&) const = default;
};

/// The nodes that are words, from left to right.
std::vector<const Tree*> words_of(const Tree& tree);

/// The tree on one line, as the Penn Treebank brackets it: "(TOP (S (NP (NN rain)) (VP (VBZ falls))))".
std::string tree_text(const Tree& tree);

}  // namespace transformer

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transformer {

/// The root's label in a clean tree.
inline constexpr std::string_view kRootLabel = "TOP";

/// The maximum depth of nested brackets, without the root and the tags; the Penn Treebank needs about 40.
inline constexpr size_t kMaxTreeDepth = 1000;

/// A node of a constituency tree: a word, whose label is its part-of-speech tag, or a bracket with child nodes.
struct Tree {
  std::string label;
  std::string word;  // empty for a bracket
  std::vector<Tree> children;

  bool is_word() const { return !word.empty(); }
  bool operator==(const Tree&) const = default;
};

/// The nodes of the words, from left to right.
std::vector<const Tree*> words_of(const Tree& tree);

/// The tree on one line in the notation of the Penn Treebank: "(TOP (S (NP (NN rain)) (VP (VBZ falls))))".
std::string tree_text(const Tree& tree);

}  // namespace transformer

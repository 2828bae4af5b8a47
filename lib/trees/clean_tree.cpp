#include "trees/clean_tree.h"

#include <iterator>

namespace transformer {
namespace {

/// The tag of a trace, which is not a word of the sentence.
constexpr std::string_view kTraceTag = "-NONE-";

bool is_root_label(std::string_view label) {
  return label.empty() || label == kRootLabel || label == "ROOT" || label == "S1";
}

/// Appends the cleaned tree to `siblings`, or its children if it has no label, or nothing if no word is left.
void add_clean(Tree tree, std::vector<Tree>& siblings) {
  if (tree.is_word()) {
    if (tree.label != kTraceTag) siblings.push_back(std::move(tree));
    return;
  }
  std::vector<Tree> children;
  for (Tree& child : tree.children) add_clean(std::move(child), children);
  if (children.empty()) return;
  if (tree.label.empty()) {
    std::move(children.begin(), children.end(), std::back_inserter(siblings));
  } else {
    siblings.push_back({std::string(bare_label(tree.label)), "", std::move(children)});
  }
}

}  // namespace

std::string_view bare_label(std::string_view label) { return label.substr(0, label.find_first_of("-=|", 1)); }

Tree clean_tree(Tree tree) {
  Tree root{std::string(kRootLabel), "", {}};
  add_clean(std::move(tree), root.children);
  while (root.children.size() == 1 && !root.children[0].is_word() && is_root_label(root.children[0].label)) {
    std::vector<Tree> children = std::move(root.children[0].children);
    root.children = std::move(children);
  }
  return root;
}

}  // namespace transformer

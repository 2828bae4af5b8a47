#include "trees/right_branching.h"

namespace transformer {
namespace {

Tree bracket(std::string_view label, Tree first) {
  Tree tree{std::string(label), "", {}};
  tree.children.push_back(std::move(first));
  return tree;
}

}  // namespace

Tree right_branching(const Tree& tree) {
  const std::vector<const Tree*> words = words_of(tree);
  if (words.empty()) return {std::string(kRootLabel), "", {}};
  Tree sentence = *words.back();
  for (size_t i = words.size() - 1; i-- > 0;) {
    Tree longer = bracket("VP", *words[i]);
    longer.children.push_back(std::move(sentence));
    sentence = std::move(longer);
  }
  if (sentence.is_word()) sentence = bracket("S", sentence);
  sentence.label = "S";
  return bracket(kRootLabel, std::move(sentence));
}

}  // namespace transformer

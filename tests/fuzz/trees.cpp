#include "fuzz.h"
#include "trees/clean_tree.h"
#include "trees/linearize.h"
#include "trees/restore_tree.h"
#include "trees/right_branching.h"
#include "trees/tree_reader.h"

namespace transformer {

/// A file of parse trees.
void fuzz(std::string_view input) {
  const InputFile file(input);
  TreeReader reader(file.path());
  for (Tree tree; reader.next(tree);) {
    require(trees_of_line(tree_text(tree), "", 1) == std::vector<Tree>{tree});
    const Tree clean = clean_tree(tree);
    std::vector<std::string> words, tags;
    for (const Tree* word : words_of(clean)) {
      words.push_back(word->word);
      tags.push_back(word->label);
    }
    require(restore_tree(linearize(clean), words, tags) == clean);
    right_branching(clean);
  }
}

}  // namespace transformer

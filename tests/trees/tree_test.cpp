#include "trees/tree.h"

#include "catch.h"
#include "trees.h"

namespace transformer {

TEST_CASE("a tree's words are listed from left to right") {
  const Tree tree = tree_of("(TOP (S (NP (DT the) (NN dog)) (VP (VBZ barks))))");
  std::string words, tags;
  for (const Tree* word : words_of(tree)) {
    words += word->word + " ";
    tags += word->label + " ";
  }
  CHECK(words == "the dog barks ");
  CHECK(tags == "DT NN VBZ ");
}

}  // namespace transformer

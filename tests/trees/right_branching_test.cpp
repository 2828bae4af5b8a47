#include "trees/right_branching.h"

#include "catch.h"
#include "trees.h"

namespace transformer {

TEST_CASE("right branching pairs each word with all following words") {
  const auto branched = [](const std::string& text) { return tree_text(right_branching(tree_of(text))); };
  CHECK(branched("(TOP (NP (DT the) (JJ old) (NN dog)) (VP (VBZ barks)))") ==
        "(TOP (S (DT the) (VP (JJ old) (VP (NN dog) (VBZ barks)))))");
  CHECK(branched("(TOP (X (NN a) (NN b)))") == "(TOP (S (NN a) (NN b)))");
  CHECK(branched("(TOP (X (NN a)))") == "(TOP (S (NN a)))");
  CHECK(branched("(TOP)") == "(TOP)");
}

}  // namespace transformer

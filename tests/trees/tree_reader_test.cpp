#include "trees/tree_reader.h"

#include "base/atomic_file.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "trees.h"

namespace transformer {
namespace {

std::vector<Tree> read(const std::string& text) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "a.mrg", text);
  TreeReader reader(directory / "a.mrg");
  std::vector<Tree> trees;
  for (Tree tree; reader.next(tree);) trees.push_back(tree);
  return trees;
}

}  // namespace

TEST_CASE("tree reader reads the trees of a treebank, independent of line breaks") {
  const auto trees =
      read("\n( (S \n    (NP-SBJ (NN rain) )\r\n\t(VP (VBZ falls) )(. .) ))\n(TOP(X(NN a)))  (Y\n(NN b))");
  REQUIRE(trees.size() == 3);
  CHECK(tree_text(trees[0]) == "( (S (NP-SBJ (NN rain)) (VP (VBZ falls)) (. .)))");
  CHECK(tree_text(trees[1]) == "(TOP (X (NN a)))");
  CHECK(tree_text(trees[2]) == "(Y (NN b))");
  CHECK(trees[2] == Tree{"Y", "", {Tree{"NN", "b", {}}}});
  CHECK(read("").empty());
  CHECK(read("\n \n").empty());
}

TEST_CASE("tree reader ignores a byte order mark at the beginning of the text") {
  CHECK(read("\uFEFF(S (NN a))\n(S (NN b))\n").size() == 2);
  CHECK(trees_of_line("\uFEFF(A a)", "p", 1).size() == 1);
  CHECK_THROWS_WITH(read("(S (NN a))\n\uFEFF(S (NN b))\n"), Catch::Contains("a.mrg:2: "));
}

TEST_CASE("tree reader reads what tree_text writes") {
  for (const auto& text : kCleanTrees) CHECK(tree_text(tree_of(text)) == text);
}

TEST_CASE("tree reader names file and line of text that is not a tree") {
  CHECK_THROWS_WITH(read("(S (NN a))\n(S (NN a)))\n"),
                    Catch::Contains("a.mrg:2: brackets are not balanced: no bracket is open for this ')'"));
  CHECK_THROWS_WITH(read("(S (NN a))\n(S\n(NP (NN a)\n\n"),
                    Catch::Contains("a.mrg:2: brackets are not balanced: the tree that begins here lacks 2 ')'"));
  CHECK_THROWS_WITH(read("\nrain (S (NN a))"), Catch::Contains("a.mrg:2: 'rain' is outside of all brackets"));
  CHECK_THROWS_WITH(read("(NN a b)"), Catch::Contains("a.mrg:1: 'b' is unexpected"));
  CHECK_THROWS_WITH(read("(S (NN a) b)"), Catch::Contains("'b' is unexpected"));
  CHECK_THROWS_WITH(read("(S a (NN b))"), Catch::Contains("a bracket follows the word 'a'"));
}

TEST_CASE("tree reader rejects trees that are nested too deep") {
  const size_t deepest = kMaxTreeDepth + 2;
  CHECK_NOTHROW(tree_of(std::string(deepest, '(') + std::string(deepest, ')')));
  CHECK_THROWS_WITH(tree_of(std::string(deepest + 1, '(')), Catch::Contains("test:1: more than 1000 nested brackets"));
}

TEST_CASE("a line may contain several trees, or none") {
  CHECK(trees_of_line("(A a) (B b)", "p", 3).size() == 2);
  CHECK(trees_of_line(" ", "p", 3).empty());
  CHECK_THROWS_WITH(trees_of_line("(A (B b)", "p", 3), Catch::StartsWith("p:3: brackets are not balanced"));
}

}  // namespace transformer

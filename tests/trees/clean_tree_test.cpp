#include "trees/clean_tree.h"

#include "catch.h"
#include "trees.h"

namespace transformer {
namespace {

std::string cleaned(const std::string& text) { return tree_text(clean_tree(tree_of(text))); }

}  // namespace

TEST_CASE("bare label ends before a function tag, an index or an alternative") {
  CHECK(bare_label("NP-SBJ-1") == "NP");
  CHECK(bare_label("NP=2") == "NP");
  CHECK(bare_label("PP-LOC=2") == "PP");
  CHECK(bare_label("ADVP|PRT") == "ADVP");
  CHECK(bare_label("-X-") == "-X");
  CHECK(bare_label("NP") == "NP");
  CHECK(bare_label("") == "");
}

TEST_CASE("cleaning removes traces and brackets that contain only traces") {
  CHECK(cleaned(
            "( (S (NP-SBJ-1 (PRP it)) (VP (VBD seemed) (SBAR (-NONE- 0) (S (NP (-NONE- *-1)) (-NONE- *)))) (. .)))") ==
        "(TOP (S (NP (PRP it)) (VP (VBD seemed)) (. .)))");
  CHECK(cleaned("( (S (-NONE- *)))") == "(TOP)");
  CHECK(cleaned("()") == "(TOP)");
}

TEST_CASE("cleaning does not change tags and words") {
  CHECK(cleaned("( (X-HLN (-LRB- -LRB-) (PRP$ his) (NN-X a-b=c|d) (, ,) (-RRB- -RRB-)))") ==
        "(TOP (X (-LRB- -LRB-) (PRP$ his) (NN-X a-b=c|d) (, ,) (-RRB- -RRB-)))");
}

TEST_CASE("cleaning gives every tree one root of the same name") {
  const std::string clean = "(TOP (S (NN a)))";
  for (const char* text : {"( (S (NN a)))", "(TOP (S (NN a)))", "(ROOT (S (NN a)))", "(S1 (S (NN a)))", "(S (NN a))",
                           "( ( (S (NN a))))", "(ROOT (TOP (S (NN a))))", "(S ( (NN a)))"}) {
    INFO(text);
    CHECK(cleaned(text) == clean);
  }
  CHECK(cleaned("( (S (NN a)) (. .))") == "(TOP (S (NN a)) (. .))");
  CHECK(cleaned("(NN a)") == "(TOP (NN a))");
}

TEST_CASE("cleaning changes nothing in a clean tree") {
  for (const auto& text : kCleanTrees) CHECK(cleaned(text) == text);
}

}  // namespace transformer

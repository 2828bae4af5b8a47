#include "trees/linearize.h"

#include "catch.h"
#include "trees.h"

namespace transformer {
namespace {

std::string linear(const std::string& tree) { return text_of(linearize(tree_of(tree))); }

}  // namespace

TEST_CASE("linearized trees have typed brackets, and one symbol for every word") {
  CHECK(linear("(TOP (S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .)))") == "(S (NP XX XX )NP (VP XX )VP XX )S");
}

TEST_CASE("linearized trees are one bracket, which is the root only if needed") {
  CHECK(linear("(TOP (NP (NP (NN rain))))") == "(NP (NP XX )NP )NP");
  CHECK(linear("(TOP (NN rain))") == "(TOP XX )TOP");
  CHECK(linear("(TOP (S (NN a)) (. .))") == "(TOP (S XX )S XX )TOP");
  CHECK(linear("(TOP)") == "");
}

}  // namespace transformer

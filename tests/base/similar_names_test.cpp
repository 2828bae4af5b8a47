#include "base/similar_names.h"

#include "catch.h"

namespace transformer {
namespace {

using Names = std::vector<std::string>;

const Names kNames = {"train", "translate", "trees", "eval-bleu", "eval-parse", "average-checkpoints"};

}  // namespace

TEST_CASE("edit distance counts an exchange of neighbors once") {
  CHECK(edit_distance("train", "train") == 0);
  CHECK(edit_distance("trian", "train") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("similar names are those that begin with the word, or else the one that it misspells") {
  CHECK(similar_names("trian", kNames) == Names{"train"});
  CHECK(similar_names("tranlsate", kNames) == Names{"translate"});
  CHECK(similar_names("eval", kNames) == Names{"eval-bleu", "eval-parse"});
  CHECK(similar_names("average", kNames) == Names{"average-checkpoints"});
  CHECK(similar_names("eval_blue", kNames) == Names{"eval-bleu"});
  CHECK(similar_names("frobnicate", kNames).empty());
  CHECK(similar_names("", kNames).empty());
  CHECK(similar_names("t", {"ta", "tb", "tc", "td"}).empty());  // too many to be of help
  CHECK(similar_names(std::string(1'000'000, 'x'), kNames).empty());
}

TEST_CASE("a misspelling differs in at most a third of the letters") {
  CHECK(misspelling_distance("abc", "abd") == 1);
  CHECK(misspelling_distance("abc", "add") == std::nullopt);
  CHECK(misspelling_distance("ab", "ac") == std::nullopt);
}

TEST_CASE("alternatives are listed in words") {
  CHECK(alternatives({"a"}) == "'a'");
  CHECK(alternatives({"a", "b"}) == "'a' or 'b'");
  CHECK(alternatives({"a", "b", "c"}) == "'a', 'b' or 'c'");
}

}  // namespace transformer

#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

const std::string kTreebank =
    "\n( (S \n    (NP-SBJ-1 (DT the) (NN dog) )\n    (VP (VBZ barks) \n      (S (-NONE- *T*-1) ))\n    (. .) ))\n"
    "( (X (-NONE- *) ))\n"
    "( (FRAG (-LRB- -LRB-) (NP=2 (NN rain)) (-RRB- -RRB-)))\n";
const std::string kWords = "the dog barks .\n\n-LRB- rain -RRB-\n";
const std::string kTags = "DT NN VBZ .\n\n-LRB- NN -RRB-\n";
const std::string kBrackets = "(S (NP XX XX )NP (VP XX )VP XX )S\n\n(FRAG XX (NP XX )NP XX )FRAG\n";
const std::string kTrees =
    "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .)))\n\n"
    "(TOP (FRAG (-LRB- -LRB-) (NP (NN rain)) (-RRB- -RRB-)))\n";

std::string output_of(const Result& result) {
  INFO(result.err);
  CHECK(result.status == 0);
  return result.out;
}

}  // namespace

TEST_CASE("trees linearize writes a line for each tree, and trees restore the trees again") {
  const Workplace place;
  place.write("a.mrg", kTreebank);
  const Result result = place.run({"trees", "linearize", "--input", "a.mrg", "--words", "words", "--brackets",
                                   "brackets", "--tags", "tags", "--trees", "trees"});
  CHECK(output_of(result).empty());
  CHECK_THAT(result.err, Catch::Contains("1 of 3 trees have no words") && Catch::Contains("3 trees, 7 words"));
  CHECK(place.read("words") == kWords);
  CHECK(place.read("brackets") == kBrackets);
  CHECK(place.read("tags") == kTags);
  CHECK(place.read("trees") == kTrees);
  CHECK(output_of(place.run({"trees", "restore", "--words", "words", "--brackets", "brackets", "--tags", "tags", "-o",
                             "again"}))
            .empty());
  CHECK(place.read("again") == kTrees);
}

TEST_CASE("trees linearize and restore read stdin and compressed files, and write to stdout") {
  const Workplace place;
  place.write("words", kWords);
  CHECK(output_of(place.run({"trees", "linearize", "--brackets", "-", "--quiet"}, kTreebank)) == kBrackets);
  const std::string restored = output_of(place.run({"trees", "restore", "--words", "words"}, kBrackets));
  CHECK(lines_of(restored).at(0) == "(TOP (S (NP (XX the) (XX dog)) (VP (XX barks)) (XX .)))");
  place.write("a.mrg", kTreebank);
  REQUIRE(place.run_shell("gzip a.mrg words").status == 0);
  CHECK(output_of(place.run({"trees", "linearize", "--input", "a.mrg.gz", "--words", "-"})) == kWords);
  CHECK(output_of(place.run({"trees", "restore", "--words", "words.gz"}, kBrackets)) == restored);
}

TEST_CASE("trees restore makes a tree of any tokens") {
  const Workplace place;
  place.write("words", "a b c\n");
  CHECK(output_of(place.run({"trees", "restore", "--words", "words"}, ")NP (S (NP XX )VP what\n")) ==
        "(TOP (S (NP (XX a) (XX b)) (XX c)))\n");
}

TEST_CASE("trees refuses text that is no tree, with file and line") {
  const Workplace place;
  place.write("open.mrg", "(S (NN a))\n( (S (NN a))\n");
  place.write("closed.mrg", "(S (NN a))\n\n(S (NN a))) \n");
  place.write("empty.mrg", "\n");
  check_fails(place.run({"trees", "linearize", "--input", "open.mrg", "--words", "out"}), 1,
              {"open.mrg:2: brackets are not balanced"});
  check_fails(place.run({"trees", "linearize", "--input", "closed.mrg", "--words", "out"}), 1,
              {"closed.mrg:3: brackets are not balanced"});
  check_fails(place.run({"trees", "linearize", "--input", "empty.mrg", "--words", "out"}), 1, {"empty.mrg: is empty"});
  check_fails(place.run({"trees", "linearize", "--input", "nowhere", "--words", "out"}), 1, {"nowhere"});
  CHECK(!place.has("out"));
}

TEST_CASE("trees restore refuses sides that do not belong together") {
  const Workplace place;
  place.write("words", "a\nb\n");
  place.write("brackets", "(S XX )S\n");
  place.write("tags", "X\nX Y\n");
  place.write("empty", "");
  check_fails(place.run({"trees", "restore", "--words", "words", "--brackets", "brackets", "-o", "out"}), 1,
              {"brackets: ends after line 1, but words goes on"});
  check_fails(place.run({"trees", "restore", "--words", "words", "--brackets", "words", "--tags", "tags", "-o", "out"}),
              1, {"tags:2: 2 tags for 1 words"});
  check_fails(place.run({"trees", "restore", "--words", "empty", "--brackets", "empty", "-o", "out"}), 1,
              {"empty: is empty"});
  CHECK(!place.has("out"));
}

TEST_CASE("trees names a wrong call") {
  const Workplace place;
  check_fails(place.run({"trees"}), 2, {});
  check_fails(place.run({"trees", "linearize"}, kTreebank), 2, {"--words, --brackets, --tags or --trees"});
  check_fails(place.run({"trees", "linearize", "--words", "-", "--tags", "-"}, kTreebank), 2, {"stdout"});
  check_fails(place.run({"trees", "restore", "--words", "-"}, kWords), 2, {"stdin"});
}

}  // namespace transformer

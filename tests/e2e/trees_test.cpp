#include "base/json.h"
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

}  // namespace

TEST_CASE("trees linearize writes a line for each tree, and trees restore the trees again") {
  const Workplace place;
  place.write("a.mrg", kTreebank);
  const Result result = place.run({"trees", "linearize", "--input", "a.mrg", "--words", "words", "--brackets",
                                   "brackets", "--tags", "tags", "--trees", "trees"});
  CHECK(output_of(result).empty());
  CHECK_THAT(result.err,
             Catch::Contains("1 of 3 trees have no words, only traces") && Catch::Contains("3 trees, 7 words"));
  CHECK(place.read("words") == kWords);
  CHECK(place.read("brackets") == kBrackets);
  CHECK(place.read("tags") == kTags);
  CHECK(place.read("trees") == kTrees);
  CHECK(output_of(place.run({"trees", "restore", "--words", "words", "--brackets", "brackets", "--tags", "tags", "-o",
                             "again"}))
            .empty());
  CHECK(place.read("again") == kTrees);
}

TEST_CASE("trees linearize writes subtrees of two words or more where it is asked to") {
  const Workplace place;
  const std::string treebank =
      "( (S (NP (NP (DT the) (NN dog)) (PP (IN of) (NP (NN war)))) (VP (VBZ barks)) (. .)))\n"
      "( (NP (DT the) (NN end)))\n( (S (NP (PRP it)) (VP (VBZ is))) (. .))\n";
  const Result result =
      place.run({"trees", "linearize", "--subtrees", "--brackets", "-", "--trees", "trees"}, treebank);
  CHECK(output_of(result) ==
        "(S (NP (NP XX XX )NP (PP XX (NP XX )NP )PP )NP (VP XX )VP XX )S\n"
        "(NP (NP XX XX )NP (PP XX (NP XX )NP )PP )NP\n(NP XX XX )NP\n(PP XX (NP XX )NP )PP\n"
        "(NP XX XX )NP\n"
        "(TOP (S (NP XX )NP (VP XX )VP )S XX )TOP\n(S (NP XX )NP (VP XX )VP )S\n");
  CHECK(place.read_lines("trees").at(2) == "(TOP (NP (DT the) (NN dog)))");
  CHECK_THAT(result.err, Catch::Contains("3 trees and 4 subtrees, 21 words"));
}

TEST_CASE("trees linearize warns about brackets whose word is missing, as after an unescaped parenthesis") {
  const Workplace place;
  const Result result =
      place.run({"trees", "linearize", "--words", "-"}, "(S (NN a))\n(S (-LRB- () (NN x) (-RRB- )))\n");
  CHECK(output_of(result) == "a\nx\n");
  CHECK_THAT(result.err, Catch::Contains("warning: stdin:2: the first of 1 tree with a bracket that has a label but no "
                                         "word, and is left out; write the words '(' and ')' as -LRB- and -RRB-"));
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

TEST_CASE("a parser that has learned little puts out trees all the same") {
  const Workplace place;
  std::string trees, held_out;
  for (int i = 0; i < 200; ++i) {
    const std::string noun = "(NP (DT the) (NN n" + std::to_string(i % 7) + "))";
    const std::string verb = "(VBZ v" + std::to_string(i % 5) + ")";
    trees += "( (S " + noun + (i % 2 == 0 ? " (VP " + verb + ")" : " (VP " + verb + " " + noun + ")") + " (. .)))\n";
    held_out += (i % 3 == 0 ? "the n1 v2 .\n" : "v1 the the n3 . n2 n5 the v4 v4 .\n");
  }
  place.write("train.mrg", trees);
  REQUIRE(place.run({"trees", "linearize", "--input", "train.mrg", "--words", "p.words", "--brackets", "p.brackets"})
              .status == 0);
  check_fails(place.train({"--set", "decoding.trees=true", "--set", "training.directory=none"}), 1,
              {"the target vocabulary has no pieces such as '(NP'", "data.whole_target_words: true"});
  CHECK_FALSE(place.has("none/metrics.jsonl"));
  const Result training = place.train(
      {"--set", "data.train.source=p.words", "--set", "data.train.target=p.brackets", "--set", "data.valid.source=null",
       "--set", "data.valid.target=null", "--set", "data.whole_target_words=true", "--set", "decoding.trees=true",
       "--set", "decoding.max_extra_tokens=20", "--set", "data.vocabulary_size=33", "--set", "training.train_steps=5"});
  INFO(training.err);
  REQUIRE(training.status == 0);
  place.write("test.words", held_out);
  const std::string model = "run/checkpoints/step-00000005.safetensors";
  const std::string brackets = output_of(place.run({"translate", "--model", model, "--input", "test.words"}));
  place.write("test.brackets", brackets);
  // Only a well-formed tree over the words comes back as it was.
  const Result again = place.run_shell(
      "\"$transformer\" trees restore --words test.words --brackets test.brackets |"
      " \"$transformer\" trees linearize --brackets - --quiet");
  CHECK(output_of(again) == brackets);
  CHECK(lines_of(brackets).size() == 200);
  // Without the constraint it does not know yet what a tree is.
  const Result free = place.run({"translate", "--model", model, "--input", "test.words", "--no-trees"});
  CHECK(output_of(free) != brackets);
  // A benchmark of outputs of a given length does not ask for trees.
  const Result benchmark = place.run({"benchmark", "translate", "--model", model, "--input", "test.words", "--lines",
                                      "3", "--rounds", "1", "--output-tokens", "4", "--json"});
  CHECK(parse_json(output_of(benchmark)).at("output_tokens") == 12);
}

TEST_CASE("translate --trees wants a parser") {
  check_fails(trained().run({"translate", "--model", "model.pt", "--trees", "--input", "test.source"}), 1,
              {"vocabulary has no pieces such as '(NP'", "data.whole_target_words: true"});
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
  check_fails(place.run({"trees", "linearize", "--input", "closed.mrg", "--words", "out", "--tags", "out"}), 2,
              {"trees linearize: out is given twice; give different paths"});
  CHECK(!place.has("out"));
}

TEST_CASE("trees restore refuses sides that do not belong together") {
  const Workplace place;
  place.write("words", "a\nb\n");
  place.write("brackets", "(S XX )S\n");
  place.write("tags", "X\nX Y\n");
  place.write("empty", "");
  check_fails(place.run({"trees", "restore", "--words", "words", "--brackets", "brackets", "-o", "out"}), 1,
              {"brackets: ends after line 1, but words has more lines"});
  check_fails(place.run({"trees", "restore", "--words", "words", "--brackets", "words", "--tags", "tags", "-o", "out"}),
              1, {"tags:2: 2 tags for 1 word;"});
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

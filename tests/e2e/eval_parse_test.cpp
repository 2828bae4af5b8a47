#include "base/json.h"
#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

const std::string kGold =
    "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .)))\n"
    "(TOP (S (NP (NN rain)) (VP (VBZ falls) (ADVP (RB softly)))))\n";
const std::string kPredicted =
    "(TOP (S (NP (DT the)) (VP (NN dog) (VBZ barks)) (. .)))\n"
    "(TOP (S (NP (NN rain)) (VP (VBZ falls) (PRT (RB softly)))))\n";

/// A place with both sides in it.
class Scored {
 public:
  Scored() {
    place.write("gold", kGold);
    place.write("predicted", kPredicted);
  }
  Result run(const std::vector<std::string>& more, const std::string& input = "") const {
    return place.run(with({"eval-parse", "--gold", "gold"}, more), input);
  }
  Workplace place;
};

}  // namespace

TEST_CASE("eval-parse prints EVALB's summary, and with --sentences its table") {
  const Scored scored;
  const std::string summary = only_output_of(scored.run({"--predicted", "predicted"}));
  CHECK_THAT(summary, Catch::StartsWith("=== Summary ===\n\n-- All --\nNumber of sentence        =      2\n") &&
                          Catch::Contains("Bracketing FMeasure       =  71.43\n") && Catch::Contains("-- len<=40 --"));
  const std::string all = only_output_of(scored.run({"--predicted", "predicted", "--sentences"}));
  CHECK_THAT(all, Catch::StartsWith("  Sent.  ") && Catch::EndsWith(summary));
  CHECK_THAT(all, Catch::Contains("\n   1    4    0   33.33  33.33     1      3    3      1      3     3   100.00\n"));
}

TEST_CASE("eval-parse gives the figures as JSON") {
  const Json json = parse_json(only_output_of(Scored().run({"--predicted", "predicted", "--json"})));
  CHECK(json.at("all").at("f1").get<double>() == Approx(500. / 7));
  CHECK(json.at("up_to_cutoff").at("valid_sentences") == 2);
  CHECK(!json.contains("sentences"));
  const Json with_sentences =
      parse_json(only_output_of(Scored().run({"--predicted", "predicted", "--json", "--sentences"})));
  CHECK(with_sentences.at("sentences").size() == 2);
}

TEST_CASE("eval-parse takes stdin, compressed files and other parameters") {
  const Scored scored;
  scored.place.write("a.prm", "DELETE_LABEL TOP\nCUTOFF_LEN 3\nLABELED 0\n");
  const std::string out = only_output_of(scored.run({"--predicted", "-", "--parameters", "a.prm"}, kPredicted));
  CHECK_THAT(out, Catch::Contains("-- len<=3 --\nNumber of sentence        =      1\n"));
  REQUIRE(scored.place.run_shell("gzip predicted").status == 0);
  CHECK(only_output_of(scored.run({"--predicted", "predicted.gz", "--parameters", "a.prm"})) == out);
}

TEST_CASE("eval-parse scores trees that only branch to the right, as a baseline") {
  const Json json = parse_json(only_output_of(Scored().run({"--right-branching", "--json"})));
  CHECK(json.at("all").at("matched_brackets") == 4);  // both S, "barks", "falls softly"
  CHECK(json.at("all").at("tagging_accuracy") == 100);
}

TEST_CASE("eval-parse counts sentences of other words as errors, warns, and gives up when there are too many") {
  const Scored scored;
  scored.place.write("other", "(TOP (S (NN cat)))\n\n");
  const Result result = scored.run({"--predicted", "other"});
  CHECK(result.status == 0);
  CHECK_THAT(result.err, Catch::Contains("warning: other:1: 3 words in gold, 1 predicted"));
  CHECK_THAT(result.out, Catch::Contains("Error sentence  =      1") && Catch::Contains("Skip  sentence  =      1"));
  scored.place.write("other", "(TOP (S (NN cat)))\n(TOP (S (NN cat)))\n");
  scored.place.write("a.prm", "MAX_ERROR 0\n");
  const Result given_up = scored.run({"--predicted", "other", "--parameters", "a.prm"});
  CHECK(given_up.status == 1);
  CHECK(given_up.out.empty());
  CHECK_THAT(given_up.err,
             Catch::Contains("error: other:2: is error sentence number 2") && Catch::Contains("MAX_ERROR"));
}

TEST_CASE("eval-parse names what is wrong with its files") {
  const Scored scored;
  scored.place.write("one", "(TOP (S (NN a)))\n");
  scored.place.write("unbalanced", kPredicted + "(S (NN a)\n");
  scored.place.write("gold3", kGold + "(S (NN a))\n");
  scored.place.write("bad.prm", "LABELED 1\nDELETE_LABLE TOP\n");
  scored.place.write("empty", "");
  check_fails(scored.run({"--predicted", "one", "--parameters", "empty"}), 1,
              {"one: ends after line 1, but gold has more lines"});
  check_fails(scored.place.run({"eval-parse", "--gold", "one", "--predicted", "one-more"}), 1, {"one-more"});
  check_fails(scored.place.run({"eval-parse", "--gold", "gold3", "--predicted", "unbalanced"}), 1,
              {"unbalanced:3: brackets are not balanced"});
  check_fails(scored.place.run({"eval-parse", "--gold", "gold", "--predicted", "gold3"}), 1,
              {"gold: ends after line 2, but gold3 has more lines"});
  check_fails(scored.run({"--predicted", "predicted", "--parameters", "bad.prm"}), 2,
              {"bad.prm:2: unknown directive 'DELETE_LABLE'"});
  check_fails(scored.place.run({"eval-parse", "--gold", "empty", "--predicted", "empty"}), 1, {"empty: is empty"});
  check_fails(scored.place.run({"eval-parse", "--gold", "empty", "--right-branching"}), 1, {"empty: is empty"});
  std::string flat = "(TOP (S";
  for (int i = 0; i < 50000; ++i) flat += " (NN w)";
  scored.place.write("flat", flat + "))\n");
  check_fails(scored.place.run({"eval-parse", "--gold", "flat", "--right-branching"}), 1, {"flat:1: has 50000 words"});
}

TEST_CASE("eval-parse names a wrong call") {
  const Scored scored;
  check_fails(scored.run({}), 2, {"one of --predicted FILE and --right-branching"});
  check_fails(scored.run({"--predicted", "predicted", "--right-branching"}), 2, {"one of --predicted"});
  check_fails(scored.place.run({"eval-parse", "--gold", "-", "--predicted", "-"}), 2, {"stdin"});
  check_fails(scored.place.run({"eval-parse", "--predicted", "predicted"}), 2, {"--gold"});
}

}  // namespace transformer

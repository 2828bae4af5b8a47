#include "parsing/evalb_report.h"

#include "base/json.h"
#include "catch.h"
#include "trees/tree_reader.h"

namespace transformer {
namespace {

/// A correct sentence, one with an extra bracket, a skipped one and an error; the first is longer than the cut-off
/// length.
ParseReport report() {
  ParseReport report(2);
  const auto add = [&](const char* gold, const char* predicted) {
    report.add(
        score_sentence(trees_of_line(gold, "gold", 1), trees_of_line(predicted, "predicted", 1), collins_parameters()));
  };
  add("(S (A (X a) (X b)) (X c))", "(S (A (X a) (X b)) (X c))");
  add("(S (X a) (X b))", "(S (A (X a)) (Y b))");
  add("(S (X a))", "");
  add("(S (X a))", "(S (X b))");
  return report;
}

}  // namespace

TEST_CASE("sentence table has EVALB's layout") {
  CHECK(format_sentence_table(report()) ==
        "  Sent.                        Matched  Bracket   Cross        Correct Tag\n"
        " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy\n"
        "============================================================================\n"
        "   1    3    0  100.00 100.00     2      2    2      0      3     3   100.00\n"
        "   2    2    0  100.00  50.00     1      1    2      0      2     1    50.00\n"
        "   3    1    2    0.00   0.00     0      0    0      0      0     0     0.00\n"
        "   4    1    1    0.00   0.00     0      0    0      0      0     0     0.00\n"
        "============================================================================\n"
        "                100.00  75.00      3     3     4      0      5     4    80.00\n");
}

TEST_CASE("summary has EVALB's lines, for all sentences and for those up to the cut-off") {
  CHECK(format_summary(report()) ==
        "=== Summary ===\n"
        "\n"
        "-- All --\n"
        "Number of sentence        =      4\n"
        "Number of Error sentence  =      1\n"
        "Number of Skip  sentence  =      1\n"
        "Number of Valid sentence  =      2\n"
        "Bracketing Recall         = 100.00\n"
        "Bracketing Precision      =  75.00\n"
        "Bracketing FMeasure       =  85.71\n"
        "Complete match            =  50.00\n"
        "Average crossing          =   0.00\n"
        "No crossing               = 100.00\n"
        "2 or less crossing        = 100.00\n"
        "Tagging accuracy          =  80.00\n"
        "\n"
        "-- len<=2 --\n"
        "Number of sentence        =      3\n"
        "Number of Error sentence  =      1\n"
        "Number of Skip  sentence  =      1\n"
        "Number of Valid sentence  =      1\n"
        "Bracketing Recall         = 100.00\n"
        "Bracketing Precision      =  50.00\n"
        "Bracketing FMeasure       =  66.67\n"
        "Complete match            =   0.00\n"
        "Average crossing          =   0.00\n"
        "No crossing               = 100.00\n"
        "2 or less crossing        = 100.00\n"
        "Tagging accuracy          =  50.00\n");
}

TEST_CASE("parse scores as JSON contain all figures, and the sentences on request") {
  const Json json = parse_json(format_parse_json(report(), false));
  CHECK(json.at("all").at("f1").get<double>() == Approx(600. / 7));
  CHECK(json.at("all").at("sentences") == 4);
  CHECK(json.at("cutoff_length") == 2);
  CHECK(json.at("up_to_cutoff").at("precision") == 50);
  CHECK(!json.contains("sentences"));
  const Json with_sentences = parse_json(format_parse_json(report(), true));
  const Json& sentences = with_sentences.at("sentences");
  REQUIRE(sentences.size() == 4);
  CHECK(sentences[3].at("status") == "error");
  CHECK(sentences[1].at("matched_brackets") == 1);
}

}  // namespace transformer

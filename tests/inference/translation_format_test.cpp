#include "inference/translation_format.h"

#include "base/json.h"
#include "catch.h"

namespace transformer {
namespace {

const std::vector<Translation> kTranslations = {{.text = "ein Hund",
                                                 .score = -0.25,
                                                 .log_prob = -0.5,
                                                 .pieces = {"▁ein", "▁Hund", "</s>"},
                                                 .token_log_probs = {-0.125f, -0.25f, -0.125f},
                                                 .alignment = {{0, 0}, {2, 1}},
                                                 .words = {{"ein", -0.125}, {"Hund", -0.25}},
                                                 .word_alignment = {{0, 0}, {1, 1}}},
                                                {.text = "\"Hund\"",
                                                 .score = -1.5,
                                                 .log_prob = -3,
                                                 .pieces = {"▁\"Hund\"", "</s>"},
                                                 .token_log_probs = {-1.0f / 3, -2.0f / 3},
                                                 .alignment = {{1, 0}},
                                                 .reached_limit = true}};

std::vector<std::string> lines(const TranslationFormat& format, bool alignment = false) {
  return format.lines(7, {.translations = kTranslations, .source_pieces = {"▁a", "▁do", "g"}}, alignment);
}

}  // namespace

TEST_CASE("translation format: text is the translation, with scores and alignment after tabs") {
  CHECK(lines({}) == std::vector<std::string>{"ein Hund", "\"Hund\""});
  CHECK(lines({.scores = true}).at(0) == "ein Hund\t-0.2500");
  CHECK(lines({.scores = true, .word_scores = true}, /*alignment=*/true).at(0) ==
        "ein Hund\t-0.2500\t-0.1250 -0.2500 -0.1250\t0-0 2-1");
}

TEST_CASE("translation format: n-best lists count lines from 0 and have scores") {
  CHECK(lines({.kind = OutputFormat::nbest}) ==
        std::vector<std::string>{"6 ||| ein Hund ||| -0.2500", "6 ||| \"Hund\" ||| -1.5000"});
  CHECK(lines({.kind = OutputFormat::nbest, .scores = true, .word_scores = true}, /*alignment=*/true).at(1) ==
        "6 ||| \"Hund\" ||| -1.5000 ||| -0.3333 -0.6667 ||| 1-0");
}

TEST_CASE("translation format: JSON lines have one object for each line, with all of its translations") {
  const auto written = lines({.kind = OutputFormat::jsonl});
  REQUIRE(written.size() == 1);
  const Json object = Json::parse(written[0]);
  CHECK(object.at("line") == 7);
  CHECK(object.at("source_pieces") == Json({"▁a", "▁do", "g"}));
  REQUIRE(object.at("translations").size() == 2);
  const Json& first = object.at("translations")[0];
  CHECK(first.at("text") == "ein Hund");
  CHECK(first.at("score") == -0.25);
  CHECK(first.at("log_prob") == -0.5);
  CHECK(first.at("pieces") == Json({"▁ein", "▁Hund", "</s>"}));
  CHECK(first.at("piece_log_probs") == Json({-0.125, -0.25, -0.125}));
  CHECK_FALSE(first.contains("alignment"));
  CHECK(first.at("finish_reason") == "stop");
  CHECK(object.at("translations")[1].at("finish_reason") == "length");
  CHECK(object.at("translations")[1].at("text") == "\"Hund\"");
  CHECK(object.at("translations")[1].at("piece_log_probs") == Json({-0.333333, -0.666667}));

  const Json aligned = Json::parse(lines({.kind = OutputFormat::jsonl}, /*alignment=*/true).at(0));
  CHECK(aligned.at("translations")[0].at("alignment").dump() == "[[0,0],[2,1]]");
}

TEST_CASE("translation format: words have their probabilities and alignments of their own") {
  CHECK(lines({.word_alignment = true, .words = true}, /*alignment=*/true).at(0) ==
        "ein Hund\tein:0.8825 Hund:0.7788\t0-0 2-1\t0-0 1-1");
  const Json object = Json::parse(lines({.kind = OutputFormat::jsonl, .word_alignment = true, .words = true}).at(0))
                          .at("translations")[0];
  CHECK(object.at("words") ==
        Json({{{"text", "ein"}, {"probability", 0.882497}}, {{"text", "Hund"}, {"probability", 0.778801}}}));
  CHECK(object.at("word_alignment").dump() == "[[0,0],[1,1]]");
}

TEST_CASE("translation format: JSON lines of a line without translations") {
  const TranslationFormat format{.kind = OutputFormat::jsonl};
  CHECK(Json::parse(format.lines(1, {.translations = {{}}}, /*alignment=*/false).at(0))
            .at("translations")[0]
            .at("pieces") == Json::array());
}

}  // namespace transformer

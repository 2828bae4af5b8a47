#include <string>

#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

/// The UTF-8 of a Chinese character.
std::string rare_character(int number) {
  const int code = 0x4E00 + number;
  return {static_cast<char>(0xE0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3F)),
          static_cast<char>(0x80 | (code & 0x3F))};
}

/// Puts a word that no other pair has before the last word of every fourth pair, on both sides.
void add_rare_words(const Workplace& place) {
  for (const char* name : {"train.source", "train.target"}) {
    auto lines = place.read_lines(name);
    for (size_t i = 0; i < lines.size(); i += 4) {
      lines[i].insert(lines[i].rfind(' '), " " + rare_character(static_cast<int>(i)));
    }
    place.write(name, text_of(lines));
  }
}

}  // namespace

TEST_CASE("translate puts unknown characters in the place of the unknown pieces that attend to them") {
  const Workplace place;
  add_rare_words(place);
  const Result training = place.train({"--set", "data.character_coverage=0.98", "--set", "training.train_steps=500",
                                       "--set", "data.vocabulary_size=50"});
  INFO(training.err);
  REQUIRE(training.status == 0);
  const std::string input = "ba be bi\nba be 鱼 bi\nga gi 鱼鱼 ku bo\n";
  const auto translate = [&](const std::vector<std::string>& more) {
    const Result result = place.run(with({"translate", "--model", "run", "--device", "cpu"}, more), input);
    INFO(result.err);
    REQUIRE(result.status == 0);
    CHECK_THAT(result.err, Catch::Contains("stdin:2: has characters that the vocabulary lacks"));
    return lines_of(result.out);
  };
  const auto without = translate({}), with_unknowns = translate({"--replace-unknowns"});
  CHECK(with_unknowns[0] == without[0]);
  CHECK_THAT(without[1], !Catch::Contains("鱼"));
  CHECK_THAT(with_unknowns[1], Catch::Contains(" 鱼 ") && !Catch::Contains("鱼鱼"));
  CHECK_THAT(with_unknowns[2], Catch::Contains(" 鱼鱼 "));
  CHECK(translate({"--replace-unknowns", "--workers", "2", "--batch-size", "1"}) == with_unknowns);
  const auto objects = translate({"--replace-unknowns", "--format", "jsonl"});
  const Json found = parse_json(objects[1]).at("translations").at(0);
  CHECK(found.at("text") == with_unknowns[1]);
  CHECK_FALSE(found.contains("alignment"));
}

TEST_CASE("validation counts the lines and pieces that the vocabulary lacks") {
  const Workplace place;
  place.write("valid.source", "ba\nbe 书\n");
  place.write("valid.target", "al 我想\nel\n");
  const Result result = place.train({"--set", "training.train_steps=1"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  for (const char* place_and_count : {"valid.source:2", "valid.target:1"}) {
    CHECK_THAT(result.err, Catch::Contains(std::string("warning: ") + place_and_count +
                                           ": has characters that the vocabulary lacks, the only such line (1 unknown "
                                           "piece)"));
  }
}

}  // namespace transformer

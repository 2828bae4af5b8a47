#include <cmath>

#include "base/json.h"
#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

Result score(const std::string& source, const std::string& target, const std::vector<std::string>& more = {}) {
  const Workplace place;
  place.write("source", source);
  place.write("target", target);
  return place.run(with({"score", "--model", trained() / "model.pt", "--source", "source", "--target", "target",
                         "--device", "cpu", "--threads", "1"},
                        more));
}

std::vector<double> numbers(const std::string& text) {
  std::vector<double> values;
  for (const auto& line : lines_of(text)) values.push_back(std::stod(line));
  return values;
}

}  // namespace

TEST_CASE("score gives each pair its log-probability, and the perplexity per piece") {
  const std::string source = trained().read("test.source"), target = trained().read("test.target");
  const Result result = score(source, target);
  INFO(result.err);
  REQUIRE(result.status == 0);
  const auto values = numbers(result.out);
  REQUIRE(values.size() == trained().read_lines("test.source").size());
  double sum = 0;
  for (const double value : values) {
    CHECK(value < 0);
    sum += value;
  }
  const Result as_json = score(source, target, {"--json", "--quiet"});
  CHECK(as_json.err.empty());
  const auto json = parse_json(as_json.out);
  CHECK(json.at("pairs") == values.size());
  CHECK(json.at("log_prob").get<double>() == Approx(sum).epsilon(1e-5));
  const double perplexity = std::exp(-sum / json.at("target_tokens").get<double>());
  CHECK(json.at("perplexity").get<double>() == Approx(perplexity).epsilon(1e-5));
  CHECK(json.at("scores").at(0).begin().key() == "log_prob");
  CHECK(json.at("scores").at(0).at("log_prob") < 0);
  CHECK_THAT(result.err, Catch::Contains("perplexity "));
  const auto one_by_one = numbers(score(source, target, {"--batch-tokens", "1"}).out);
  REQUIRE(one_by_one.size() == values.size());
  for (size_t i = 0; i < values.size(); ++i) CHECK(one_by_one[i] == Approx(values[i]).epsilon(1e-4));
}

TEST_CASE("score prefers the right translation, and takes blank and invalid lines") {
  const std::string source = trained().read_lines("train.source").at(0);
  const std::string right = trained().read_lines("train.target").at(0);
  const std::string wrong = trained().read_lines("train.target").at(1);
  const Result result =
      score(text_of({source, source, "", source, "\xFF\r"}), text_of({right, wrong, right, "", std::string("\0", 1)}));
  REQUIRE(result.status == 0);
  const auto values = numbers(result.out);
  REQUIRE(values.size() == 5);
  CHECK(values[0] > values[1]);
  for (const double value : values) CHECK(std::isfinite(value));
  CHECK_THAT(result.err, Catch::Contains(":5: not UTF-8, the only such line;"));
}

TEST_CASE("score counts the lines and pieces that the vocabulary lacks") {
  const Result result = score("ba\nbe 书\n", "al 我想\nel\n");
  REQUIRE(result.status == 0);
  CHECK_THAT(result.err, Catch::Contains("warning: source:2: has characters that the vocabulary lacks, the only such "
                                         "line (1 unknown piece)") &&
                             Catch::Contains("warning: target:1: has characters that the vocabulary lacks, the only "
                                             "such line (1 unknown piece)"));
}

TEST_CASE("score keeps the order and the numbers of the pairs of several blocks") {
  const auto some_sources = trained().read_lines("test.source"), some_targets = trained().read_lines("test.target");
  const auto alone = numbers(score(text_of(some_sources), text_of(some_targets)).out);
  REQUIRE(alone.size() == some_sources.size());
  std::vector<std::string> sources, targets;
  for (size_t i = 0; i < 4200; ++i) {  // a block has 4,096
    sources.push_back(some_sources[i % alone.size()]);
    targets.push_back(some_targets[i % alone.size()]);
  }
  sources[4149] = "\xFF";
  const Result result = score(text_of(sources), text_of(targets));
  const auto values = numbers(output_of(result));
  REQUIRE(values.size() == sources.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 4149) CHECK(values[i] == Approx(alone[i % alone.size()]).epsilon(1e-4));
  }
  CHECK_THAT(result.err, Catch::Contains("source:4150: not UTF-8, the only such line;"));
}

TEST_CASE("score stops at a very long line and names it") {
  const std::string very_long(100000, 'b');
  check_fails(score("ba\n" + very_long + "\n", "al\nal\n"), 1,
              {"source:2: has more than 1,023 pieces or 65,536 bytes, but sequences end at 1,024 positions",
               "shorten the line"});
  check_fails(score("ba\n", very_long), 1, {"target:1: has more than 1,023 pieces or 65,536 bytes"});
  const std::string first_block(4096, '\n');
  check_fails(score(first_block + "ba\n", first_block + very_long, {"--json"}), 1, {"target:4097: has more than"});
}

TEST_CASE("score says what is wrong with its input") {
  check_fails(score("ba\nbe\n", "ba\n"), 1, {"target: ends after line 1, but source has more lines"});
  check_fails(score("ba\nbe\n", "ba\n", {"--json"}), 1, {"target: ends after line 1, but source has more lines"});
  check_fails(score("", "", {"--json"}), 1, {"source: is empty"});
  check_fails(score("", ""), 1, {"source: is empty"});
  check_fails(Workplace().run({"score", "--model", trained() / "model.pt", "--source", "-", "--target", "-"}), 2,
              {"there is only one stdin"});
  check_fails(Workplace().run({"score", "--model", trained() / "model.pt", "--source", "none", "--target", "none"}), 1,
              {"none: ", "no such file"});
}

TEST_CASE("score stops at a line that learned positions do not cover, and names it") {
  Workplace place;
  const Result training = place.train({"--set", "model.position=learned", "--set", "model.max_positions=12", "--set",
                                       "data.max_length=11", "--set", "training.train_steps=1"});
  INFO(training.err);
  REQUIRE(training.status == 0);
  std::string longest;
  for (int i = 0; i < 20; ++i) longest += "ba ";
  place.write("source", "ba\nba\n");
  place.write("target", "ba\n" + longest + "\n");
  check_fails(place.run({"score", "--model", checkpoint_name(1), "--source", "source", "--target", "target"}), 1,
              {"target:2: has ", "learned positions end at 12"});
  const Result translated = place.run({"translate", "--model", checkpoint_name(1), "--input", "target"});
  CHECK(translated.status == 0);
  CHECK_THAT(translated.err, Catch::Contains("target:2: has too many pieces, the only such line;"));
  check_fails(place.run({"benchmark", "translate", "--model", checkpoint_name(1), "--input", "source",
                         "--output-tokens", "13"}),
              2, {"--output-tokens 13: the model has 12 positions (model.max_positions)"});
  check_fails(place.train({"--set", "model.position=learned", "--set", "training.directory=other"}), 2,
              {"model.position is learned, which needs a maximum; give model.max_positions"});
  check_fails(place.train({"--set", "model.position=learned", "--set", "model.max_positions=5"}), 2,
              {"model.max_positions must be above data.max_length"});
}

}  // namespace transformer

#include "base/json.h"
#include "catch.h"
#include "count.h"
#include "repository.h"
#include "workplace.h"

namespace transformer {
namespace {

Result attention(const Workplace& place, const std::vector<std::string>& more) {
  return place.run(with({"attention", "--model", trained() / "model.pt", "--device", "cpu"}, more));
}

}  // namespace

TEST_CASE("attention writes a page, a picture or JSON for a sentence and the translation that search finds") {
  const Workplace place;
  const std::string source = trained().read_lines("test.source").at(0);
  const Result page = attention(place, {"--source", source, "-o", "page.html"});
  INFO(page.err);
  REQUIRE(page.status == 0);
  CHECK(page.out.empty());
  CHECK_THAT(page.err, Catch::Contains("wrote page.html"));
  CHECK_THAT(place.read("page.html"), Catch::StartsWith("<!doctype html>", Catch::CaseSensitive::No));

  REQUIRE(attention(place, {"--source", source, "--attention", "cross", "--layers", "1", "-o", "x.svg"}).status == 0);
  CHECK_THAT(place.read("x.svg"), Catch::StartsWith("<svg ") && Catch::Contains("layer 1, heads"));

  REQUIRE(attention(place, {"--source", source, "--beam-size", "3", "-o", "x.json"}).status == 0);
  const Json json = parse_json(place.read("x.json"));
  const std::string target = json.at("target_text");
  CHECK(trained().run({"translate", "--model", "model.pt", "--beam-size", "3"}, source + "\n").out == target + "\n");
  CHECK(json.at("search").at("beam_size") == 3);
  double sum = 0;
  for (const auto& weight : json.at("cross")[0][0][1]) sum += weight.get<double>();
  CHECK(sum == Approx(1).epsilon(1e-5));

  REQUIRE(attention(place, {"--source", source, "--target", target, "--format", "json", "-o", "y.json"}).status == 0);
  const Json given = parse_json(place.read("y.json"));
  CHECK(given.at("search").is_null());
  CHECK(given.at("cross") == json.at("cross"));
}

TEST_CASE("attention draws pieces, or with --merge-words the words that they form") {
  const Workplace place;
  const auto picture = [&](const std::vector<std::string>& more) {
    return output_of(attention(place, with({"--source", "babe ko", "--format", "svg", "-o", "-"}, more)));
  };
  const std::string pieces = picture({}), words = picture({"--merge-words"});
  CHECK_THAT(pieces, Catch::Contains(">ba</text>") && !Catch::Contains(">babe</text>"));
  CHECK_THAT(words, Catch::Contains(">babe</text>") && !Catch::Contains(">ba</text>"));
  CHECK(count(words, "<line ") < count(pieces, "<line "));
}

TEST_CASE("attention prints statistics of each head over a text") {
  const Workplace place;
  const std::vector<std::string> files = {"--source-file", "test.source", "--target-file", "test.target"};
  const Result text = attention(place, files);
  INFO(text.err);
  REQUIRE(text.status == 0);
  CHECK_THAT(text.out, Catch::Contains("encoder self-attention") && Catch::Contains("previous") &&
                           Catch::Contains("cross-attention") && Catch::Contains("sentence pairs"));
  const Result json = attention(place, with(files, {"--json"}));
  CHECK(parse_json(json.out).at("pairs") == place.read_lines("test.source").size());

  // OpenNMT-py's sources have no end symbol, and all of a line may be one word.
  REQUIRE(place.run({"import", kRepository / "tests/golden/import/opennmt", "-o", "model.pt"}).status == 0);
  place.write("word", "a\n");
  const std::string without_end = output_of(place.run(
      {"attention", "--model", "model.pt", "--source-file", "word", "--target-file", "word", "--device", "cpu"}));
  CHECK_THAT(text.out, Catch::Contains("  end") && Catch::Contains("  begin") && !Catch::Contains("</s>"));
  CHECK_THAT(without_end, Catch::Contains("  begin") && !Catch::Contains("  end") && !Catch::Contains("nan"));
}

TEST_CASE("attention says what is wrong with its input") {
  const Workplace place;
  const auto fails = [&](const std::vector<std::string>& arguments, int status, const std::string& message) {
    check_fails(attention(place, arguments), status, {message});
  };
  fails({"--source", "", "-o", "x.html"}, 2, "give either --source with a sentence");
  fails({"--source", " ", "-o", "x.html"}, 1, "--source: is empty");
  fails({"--source", "ba"}, 2, "give the file to write with --output");
  fails({"--source", "ba", "--format", "svg", "--layers", "9", "-o", "x.svg"}, 1,
        "has no layer 9; give numbers from 1 to ");
  fails({"--source", "ba", "--format", "svg", "--heads", "99", "-o", "x.svg"}, 1,
        "has no head 99; give numbers from 1 to ");
  fails({"--source", "ba", "--layers", "1", "-o", "x.html"}, 2, "--layers has no effect without --format svg");
  fails({"--source", "ba", "-o", "x.png"}, 2, "--output x.png: the ending is none of .html, .svg and .json");
  fails({"--source", "ba", "-o", "nowhere/x.html"}, 1, "nowhere");
  fails({"--source-file", "test.source", "--target-file", "valid.target"}, 1, "ends after line");
  const std::vector<std::string> files = {"--source-file", "test.source", "--target-file", "test.target"};
  for (const std::vector<std::string>& ignored :
       {std::vector<std::string>{"--target", "us"}, {"-o", "x.html"}, {"--format", "json"}, {"--beam-size", "2"}}) {
    fails(with(files, ignored), 2, " has no effect with --source-file");
  }
  fails({"--source", "ba", "--target", "us", "--alpha", "1", "-o", "x.html"}, 2, "--alpha has no effect with --target");
  CHECK_FALSE(place.has("x.html"));
}

}  // namespace transformer

#include <algorithm>

#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

Result preprocess(const Workplace& place, const std::vector<std::string>& settings = {},
                  const std::vector<std::string>& options = {}) {
  std::vector<std::string> arguments = with({"preprocess", "--config", "config.yaml"}, options);
  for (const auto& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
  return place.run(arguments);
}

/// Repeats the training text, with another number in each line, until preparing it takes half a second.
void enlarge(const Workplace& place) {
  for (const std::string name : {"train.source", "train.target"}) {
    const auto lines = place.read_lines(name);
    std::string text;
    for (int i = 0; i < 40000; ++i)
      text += lines[static_cast<size_t>(i) % lines.size()] + ' ' + std::to_string(i) + '\n';
    place.write(name, text);
  }
}

}  // namespace

TEST_CASE("the vocabulary has byte pieces, and is learned from a sample of the lines, if the config says so") {
  const Workplace place;
  REQUIRE(preprocess(place, {"data.byte_fallback=true", "data.vocabulary_size=310"}).status == 0);
  const auto pieces = place.read_lines("prepared/vocabulary.vocab");
  REQUIRE(pieces.size() == 310);
  CHECK(std::count_if(pieces.begin(), pieces.end(), [](const auto& piece) { return piece.starts_with("<0x"); }) == 256);
  check_fails(preprocess(place, {"data.byte_fallback=true"}), 1, {"give a data.vocabulary_size of at least "});
  enlarge(place);
  const Result sampled = preprocess(place, {"data.vocabulary_sample=1000"});
  REQUIRE(sampled.status == 0);
  const std::string model = place.read("prepared/vocabulary.model");
  CHECK_THAT(preprocess(place, {"data.vocabulary_sample=1000"}).err, Catch::Contains("unchanged"));
  REQUIRE(preprocess(place).status == 0);
  CHECK(!(place.read("prepared/vocabulary.model") == model));
}

}  // namespace transformer

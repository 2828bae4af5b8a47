#include <string>

#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

const std::string kFinding =
    "training corpus: 20 of 400 pairs (5.0 %) have a target longer than outputs may be (decoding.max_extra_tokens 50)";

/// Every 20th target has 72 words more than the others, each of them one piece.
void lengthen_targets(const Workplace& place) {
  auto targets = place.read_lines("train.target");
  for (size_t i = 0; i < targets.size(); i += 20) {
    for (int word = 0; word < 72; ++word) targets[i] += " al";
  }
  place.write("train.target", text_of(targets));
}

Result train(const Workplace& place, const std::string& steps, const std::vector<std::string>& more = {}) {
  const Result result = place.train(with({"--set", "training.train_steps=" + steps}, more));
  INFO(result.err);
  REQUIRE(result.status == 0);
  return result;
}

}  // namespace

TEST_CASE("a text with long targets raises the length limit of its model, with a warning") {
  const Workplace place;
  lengthen_targets(place);
  const Result prepared = place.run({"preprocess", "config.yaml"});
  CHECK_THAT(prepared.err,
             Catch::Contains("warning: " + kFinding + "; training sets it to 100, unless the config gives it"));
  CHECK_THAT(train(place, "2").err, Catch::Contains("warning: " + kFinding));
  CHECK_THAT(place.read("run/config.yaml"), Catch::Contains("max_extra_tokens: 100\n"));
  // A resumed run keeps its value, and can be given another one.
  CHECK_THAT(train(place, "4").err, Catch::Contains("resuming after step 2") && !Catch::Contains("max_extra_tokens"));
  CHECK_THAT(place.read("run/config.yaml"), Catch::Contains("max_extra_tokens: 100\n"));
  CHECK_THAT(train(place, "6", {"--set", "decoding.max_extra_tokens=50"}).err,
             Catch::Contains("warning: " + kFinding + ", so that such outputs are cut; 100 is enough"));
  CHECK_THAT(place.read("run/config.yaml"), Catch::Contains("max_extra_tokens: 50\n"));
}

TEST_CASE("a run in whose learning rate the search counts is resumed with the length limit that was chosen") {
  const Workplace place;
  lengthen_targets(place);
  const std::vector<std::string> plateau = {
      "--set", "training.schedule=plateau", "--set", "training.learning_rate=1e-3", "--set", "training.best_by=bleu"};
  train(place, "2", plateau);
  CHECK_THAT(train(place, "4", plateau).err, Catch::Contains("resuming after step 2"));
}

TEST_CASE("ordinary text keeps the paper's length limit") {
  const Workplace place;
  CHECK_THAT(train(place, "2").err, !Catch::Contains("max_extra_tokens"));
  CHECK_THAT(place.read("run/config.yaml"), Catch::Contains("max_extra_tokens: 50\n"));
}

}  // namespace transformer

#include "base/json.h"
#include "catch.h"
#include "workplace.h"

namespace transformer {
TEST_CASE("training whose loss diverges stops with advice, and again when it is resumed") {
  const Workplace place;
  const std::vector<std::string> settings = {"--set", "training.learning_rate_scale=1e4"};
  const Result diverged = place.train(settings);
  check_fails(diverged, 1,
              {"training has diverged", "lower training.learning_rate_scale", "larger training.warmup_steps",
               "there is no checkpoint from before"});
  CHECK(metrics_with(place, "run", "valid_loss").size() == 2);
  CHECK(place.has(checkpoint_name(200)));
  CHECK(!place.has(checkpoint_name(kLastStep)));
  CHECK_THAT(place.read("run/run.json"), Catch::Contains("\"failed\""));

  const Result again = place.train(settings);
  check_fails(again, 1, {"training has diverged"});
  CHECK_THAT(again.err, Catch::Contains("resuming after step 200"));
  CHECK(!place.has(checkpoint_name(kLastStep)));
}

TEST_CASE("parameters that are not finite: validation reports it, training stops, and no command uses them") {
  const Workplace place;
  const Result diverged =
      place.train({"--set", "training.learning_rate_scale=1e45", "--set", "training.checkpoint_every=1", "--set",
                   "training.validate_every=1", "--set", "training.patience=20"});
  check_fails(diverged, 1,
              {"loss or gradient was not finite in 10 steps in a row", "lines ", "lower training.learning_rate_scale",
               "there is no checkpoint from before"});
  CHECK_THAT(diverged.err, Catch::Contains("the validation text is not translated"));
  const auto validations = metrics_with(place, "run", "valid_loss");
  REQUIRE(!validations.empty());
  for (const Json& validation : validations) {
    CHECK(validation.at("valid_loss").is_null());
    CHECK(validation.at("valid_bleu").is_null());
  }

  const std::string checkpoint = checkpoint_name(1), reason = checkpoint + ": the parameter '";
  check_fails(place.run({"translate", "--model", checkpoint, "--device", "cpu"}, "ba\n"), 1, {reason});
  check_fails(place.run({"score", "--model", checkpoint, "--source", "test.source", "--target", "test.target"}), 1,
              {reason});
  check_fails(place.run({"average-checkpoints", "--inputs", checkpoint, "-o", "mean.pt"}), 1, {reason});
  CHECK(!place.has("mean.pt"));
  for (const char* format : {"safetensors", "ctranslate2"}) {
    check_fails(place.run({"export", "--model", checkpoint, "--format", format, "-o", "exported"}), 1, {reason});
    CHECK(!place.has("exported"));
  }
}

}  // namespace transformer

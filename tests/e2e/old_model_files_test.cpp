#include <filesystem>

#include "base/json.h"
#include "catch.h"
#include "repository.h"
#include "workplace.h"

namespace transformer {
namespace {

/// A checkpoint that version 0.1 wrote before its model files were safetensors, after 4 steps of a run with the
/// workplace's corpus and config and the settings below.
const std::string kOldCheckpoint = kRepository / "tests/compatibility/0.1.0/step-00000004.pt";

std::vector<std::string> settings(const std::string& directory) {
  std::vector<std::string> arguments;
  for (const char* setting :
       {"model.d_model=16", "model.d_ff=16", "training.ema_decay=0.9", "training.checkpoint_every=4",
        "training.validate_every=4", "training.train_steps=8", "data.normalization=identity"}) {
    arguments.insert(arguments.end(), {"--set", setting});
  }
  return with(arguments, {"--set", "training.directory=" + directory});
}

}  // namespace

TEST_CASE("a model file of an older version is used by every command, and converted by one") {
  const Workplace place;
  std::filesystem::copy_file(kOldCheckpoint, place / "old.pt");
  const auto scores = [&](const std::string& model) {
    const Result result =
        place.run({"score", "--model", model, "--source", "test.source", "--target", "test.target", "--json"});
    INFO(result.err);
    REQUIRE(result.status == 0);
    return parse_json(result.out).at("scores");
  };
  const Json old = scores("old.pt");
  // What the program that wrote the file says.
  CHECK(old.at(0).at("log_prob").get<double>() == Approx(-37.833857).epsilon(1e-5));
  CHECK(old.at(1).at("log_prob").get<double>() == Approx(-26.483301).epsilon(1e-5));
  CHECK(old.at(2).at("log_prob").get<double>() == Approx(-51.150135).epsilon(1e-5));
  REQUIRE(place.run({"export", "--model", "old.pt", "-o", "new"}).status == 0);
  CHECK(scores("new") == old);
  REQUIRE(place.run({"average-checkpoints", "--ema", "--inputs", "old.pt", "-o", "new.safetensors"}).status == 0);
  CHECK(scores("new.safetensors") == old);
  const auto translate = [&](const std::string& model) {
    return output_of(place.run({"translate", "--model", model, "--input", "test.source", "--precision", "int8"}));
  };
  CHECK(translate("old.pt") == translate("new"));
  CHECK(place.run({"info", "--model", "old.pt"}).status == 0);
}

TEST_CASE("a model file of version 0.1 is used whatever keys its training had") {
  const Workplace place;
  const std::string script = kRepository / "tests/programs/change_model_file.py";
  const Result changed = place.run_python(
      {script, kOldCheckpoint, "old.pt", "config", "training:\n", "training:\n  fused_kernels: true\n"});
  INFO(changed.err);
  REQUIRE(changed.status == 0);
  CHECK_THAT(place.read("old.pt"), Catch::Contains("fused_kernels"));
  for (const char* precision : {"fp32", "int8"}) {
    const auto translated = [&](const std::string& model) {
      return place.run({"translate", "--model", model, "--input", "test.source", "--precision", precision});
    };
    const std::string expected = output_of(translated(kOldCheckpoint));
    CHECK(!expected.empty());
    CHECK(output_of(translated("old.pt")) == expected);
  }
}

TEST_CASE("a run of an older version is resumed, and ends as one of this version from its checkpoint") {
  const Workplace place;
  std::filesystem::create_directories(place / "run/checkpoints");
  std::filesystem::copy_file(kOldCheckpoint, place / "run/checkpoints/step-00000004.pt");
  const Result resumed = place.train(settings("run"));
  INFO(resumed.err);
  REQUIRE(resumed.status == 0);
  CHECK_THAT(resumed.err, Catch::Contains("run: resuming after step 4"));
  CHECK(place.has("run/checkpoints/step-00000004.pt"));
  CHECK(place.has("run/checkpoints/step-00000008.safetensors"));
  CHECK(place.has("run/checkpoints/best.safetensors"));
  const Result averaged = place.run({"average-checkpoints", "--last", "2", "run", "-o", "mean.safetensors"});
  INFO(averaged.err);
  CHECK(averaged.status == 0);
  const Result again = place.train(with(settings("run"), {"--overwrite"}));
  INFO(again.err);
  CHECK(again.status == 0);
  CHECK(place.list("run/checkpoints") ==
        std::vector<std::string>{"best.safetensors", "step-00000004.safetensors", "step-00000008.safetensors"});
}

TEST_CASE("a run directory's averaged.pt and best.pt of an older version are its models until there are new ones") {
  const Workplace place;
  std::filesystem::create_directories(place / "run/checkpoints");
  const auto used = [&] { return place.run({"info", "--model", "run"}).err; };
  std::filesystem::copy_file(kOldCheckpoint, place / "run/checkpoints/best.pt");
  CHECK_THAT(used(), Catch::Contains("using run/checkpoints/best.pt"));
  std::filesystem::copy_file(kOldCheckpoint, place / "run/averaged.pt");
  CHECK_THAT(used(), Catch::Contains("using run/averaged.pt"));
  REQUIRE(place.run({"average-checkpoints", "--inputs", "run/averaged.pt", "-o", "run/averaged.safetensors"}).status ==
          0);
  CHECK_THAT(used(), Catch::Contains("using run/averaged.safetensors"));
}

}  // namespace transformer

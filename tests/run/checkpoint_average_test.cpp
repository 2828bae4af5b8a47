#include "run/checkpoint_average.h"

#include "base/error.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "tensors.h"
#include "training/checkpoint.h"
#include "training/run_directory.h"

namespace transformer {
namespace {

NamedTensors parameters_of(float value) {
  NamedTensors parameters;
  parameters.insert("w", torch::full({2, 3}, value));
  parameters.insert("b", torch::full({3}, 10 * value));
  return parameters;
}

ModelFile model_of(float value, const std::string& config = "model:\n") {
  return {config, {"vocabulary"}, parameters_of(value)};
}

}  // namespace

TEST_CASE("the average of checkpoints is the mean of each parameter") {
  const TemporaryDirectory directory;
  const std::string a = directory / "a", b = directory / "b", c = directory / "c";
  save_model(a, model_of(1));
  save_model(b, model_of(2));
  save_model(c, model_of(6, "training:\n  seed: 7\n"));
  const ModelFile mean = average_checkpoints({a, b, c});
  CHECK(mean.parameters.size() == 2);
  CHECK(max_difference(mean.parameters.at("w"), torch::full({2, 3}, 3.0F)) == 0);
  CHECK(max_difference(mean.parameters.at("b"), torch::full({3}, 30.0F)) == 0);
  CHECK(mean.parameters.at("w").scalar_type() == torch::kFloat);
  CHECK(mean.config == "training:\n  seed: 7\n");
  CHECK(max_difference(average_checkpoints({b}).parameters.at("w"), torch::full({2, 3}, 2.0F)) == 0);
}

TEST_CASE("averages are of the parameters or of the moving averages") {
  const TemporaryDirectory directory;
  const Checkpoint checkpoint{
      .model = model_of(1), .optimizer = NamedTensors(), .moving_average = parameters_of(0.25), .state = {}};
  save_checkpoint(directory / "c.pt", checkpoint);
  CHECK(max_difference(average_checkpoints({directory / "c.pt"}).parameters.at("w"), torch::full({2, 3}, 1.0F)) == 0);
  const NamedTensors means = average_checkpoints({directory / "c.pt"}, Averaged::moving_averages).parameters;
  CHECK(max_difference(means.at("w"), torch::full({2, 3}, 0.25F)) == 0);
  CHECK(max_difference(means.at("b"), torch::full({3}, 2.5F)) == 0);
  save_model(directory / "m.pt", checkpoint.model);
  CHECK_THROWS_WITH(average_checkpoints({directory / "m.pt"}, Averaged::moving_averages),
                    Catch::Contains("m.pt: has no moving average"));
}

TEST_CASE("models of different kinds are not averaged") {
  const TemporaryDirectory directory;
  save_model(directory / "a", model_of(1));
  const auto refused = [&](const ModelFile& other, const std::string& reason) {
    save_model(directory / "b", other);
    const std::string path = directory / "b";
    CHECK_THROWS_WITH(
        average_checkpoints({directory / "a", directory / "b"}),
        Catch::StartsWith(path + ": " + reason) && Catch::Contains("average only checkpoints of the same run"));
  };
  ModelFile other = model_of(2);
  other.vocabularies = std::string("another");
  refused(other, "has another vocabulary than ");
  // Another number of heads has parameters of the same shapes.
  refused(model_of(2, "model:\n  h: 4\n"), "is of another architecture than ");
  CHECK_THROWS_WITH(average_checkpoints({directory / "a", directory / "b"}),
                    Catch::Contains("(model.h: 8 there, 4 here)"));
  other = model_of(2);
  other.parameters.insert_or_assign("w", torch::zeros({2, 4}));
  refused(other, "parameter 'w' does not fit the one in ");
  other = model_of(2);
  REQUIRE(other.parameters.erase("b") == 1);
  refused(other, "has 1 parameters, ");
  other.parameters.insert("c", torch::zeros({3}));
  refused(other, "parameter 'c' does not fit the one in ");

  save_model(directory / "b", model_of(2, "model:\n  P_drop: 0.3\n"));
  CHECK(max_difference(average_checkpoints({directory / "a", directory / "b"}).parameters.at("w"),
                       torch::full({2, 3}, 1.5F)) == 0);
}

TEST_CASE("a checkpoint with the name of another step is not averaged") {
  const TemporaryDirectory place;
  const RunDirectory directory(place / "run");
  const auto lock = directory.lock();
  Checkpoint checkpoint{.model = model_of(1), .optimizer = NamedTensors(), .state = {}};
  checkpoint.state.step = 80;
  directory.save(checkpoint, /*keep=*/5);
  std::filesystem::copy_file(directory.checkpoint(80), directory.checkpoint(500));
  CHECK_THROWS_AS(average_checkpoints(directory.checkpoints()), DamagedFile);
}

}  // namespace transformer

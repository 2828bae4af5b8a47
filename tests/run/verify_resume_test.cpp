#include "run/verify_resume.h"

#include "catch.h"

namespace transformer {
namespace {

Checkpoint checkpoint_of_two_parameters() {
  Checkpoint checkpoint{
      .model = {"model:\n", {"vocabulary"}, NamedTensors()}, .optimizer = NamedTensors(), .state = {}};
  checkpoint.model.parameters.insert("weight", torch::arange(3.0));
  checkpoint.optimizer.insert("first.weight", torch::zeros({3}));
  checkpoint.state.step = 20;
  checkpoint.state.seconds = 1.5;
  return checkpoint;
}

}  // namespace

TEST_CASE("checkpoint_differences: none between equal checkpoints, whatever time they took") {
  const Checkpoint a = checkpoint_of_two_parameters();
  Checkpoint b = checkpoint_of_two_parameters();
  b.state.seconds = b.state.since_log.seconds = 99;
  CHECK(checkpoint_differences(a, b).empty());
}

TEST_CASE("checkpoint_differences: every tensor with another bit, and every other value of the state") {
  const Checkpoint a = checkpoint_of_two_parameters();
  Checkpoint b = checkpoint_of_two_parameters();
  b.model.parameters.at("weight")[1] += 0.25;
  b.optimizer.at("first.weight")[0] = -0.0;
  b.state.position.epoch = 1;
  CHECK(checkpoint_differences(a, b) == std::vector<std::string>{"weight: largest difference 2.5e-01",
                                                                 "first.weight: largest difference 0.0e+00",
                                                                 "epoch: 0 and 1"});
}

}  // namespace transformer

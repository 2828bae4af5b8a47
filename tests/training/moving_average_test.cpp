#include "training/moving_average.h"

#include <vector>

#include "catch.h"
#include "tensors.h"

namespace transformer {
namespace {

struct OneParameter : torch::nn::Module {
  torch::Tensor w;
  explicit OneParameter(double value) { w = register_parameter("w", torch::full({3}, value, torch::kDouble)); }
  void set(double value) {
    torch::NoGradGuard no_grad;
    w.fill_(value);
  }
};

double value_of(const MovingAverage& average) { return average.state().at("w")[0].item<double>(); }

}  // namespace

TEST_CASE("a moving average forgets older parameters exponentially, and the initial ones soon") {
  OneParameter module(100);
  MovingAverage average(module, 0.5);
  CHECK(value_of(average) == 100);
  double expected = 100;
  for (int step = 1; step <= 20; ++step) {
    module.set(step);
    average.update(step);
    const double decay = std::min(0.5, (1.0 + step) / (10.0 + step));
    expected = decay * expected + (1 - decay) * step;
    CHECK(value_of(average) == Approx(expected).epsilon(1e-12));
  }
}

TEST_CASE("in its scope the moving average replaces the parameters, which come back afterwards") {
  OneParameter module(8);
  module.w.mutable_grad() = torch::ones_like(module.w);
  MovingAverage average(module, 0.5);
  module.set(2);
  {
    const MovingAverage::Scope scope(average);
    CHECK(max_difference(module.w, torch::full({3}, 8.0, torch::kDouble)) == 0);
  }
  CHECK(max_difference(module.w, torch::full({3}, 2.0, torch::kDouble)) == 0);
  CHECK(module.w.requires_grad());
  CHECK(max_difference(module.w.grad(), torch::ones({3}, torch::kDouble)) == 0);
  CHECK(value_of(average) == 8);
}

TEST_CASE("a moving average continues exactly from a saved state, and refuses one of other parameters") {
  OneParameter module(8), other(1);
  MovingAverage average(module, 0.9), restored(other, 0.9);
  module.set(2);
  average.update(1);
  restored.set_state(average.state(), "a");
  module.set(7);
  other.set(7);
  average.update(2);
  restored.update(2);
  CHECK(value_of(average) == value_of(restored));
  CHECK_THROWS_WITH(restored.set_state(NamedTensors(), "x.pt"),
                    Catch::StartsWith("x.pt: the moving average's 'w'") && Catch::Contains("training.ema_decay"));
}

}  // namespace transformer

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
  const auto after = [&](int step) {
    module.set(step);
    average.update(step);
    return value_of(average);
  };
  // decay * average + (1 - decay) * parameter, first with the decay (1 + step) / (10 + step)
  CHECK(after(1) == Approx(19).epsilon(1e-12));      // 2/11 * 100 + 9/11 * 1
  CHECK(after(2) == Approx(6.25).epsilon(1e-12));    // 1/4 * 19 + 3/4 * 2
  CHECK(after(3) == Approx(4).epsilon(1e-12));       // 4/13 * 6.25 + 9/13 * 3
  CHECK(after(4) == Approx(4).epsilon(1e-12));       // 5/14 * 4 + 9/14 * 4
  CHECK(after(5) == Approx(4.6).epsilon(1e-12));     // 2/5 * 4 + 3/5 * 5
  CHECK(after(6) == Approx(5.3875).epsilon(1e-12));  // 7/16 * 4.6 + 9/16 * 6
  double average_before = after(7);
  for (int step = 8; step <= 20; ++step) {  // with the decay of 0.5
    const double expected = (average_before + step) / 2;
    average_before = after(step);
    CHECK(average_before == Approx(expected).epsilon(1e-12));
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
                    Catch::StartsWith("x.pt: has no moving average of the parameter 'w'"));
}

}  // namespace transformer

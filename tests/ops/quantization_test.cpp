#include "ops/quantization.h"

#include "catch.h"
#include "tensors.h"

namespace transformer {
namespace {

/// What the whole numbers stand for.
torch::Tensor restored(const torch::Tensor& whole, const std::vector<RowRange>& ranges) {
  auto x = whole.to(torch::kFloat);
  for (int64_t row = 0; row < x.size(0); ++row) {
    const auto& [zero, scale] = ranges[static_cast<size_t>(row)];
    x[row] = (x[row] - zero) * scale;
  }
  return x;
}

}  // namespace

TEST_CASE("rows in whole numbers are within half a step of what they stand for") {
  const auto [steps, zero] = GENERATE(table<int32_t, RowZero>(
      {{254, RowZero::in_the_middle}, {126, RowZero::in_the_middle}, {127, RowZero::of_each_row}}));
  const int64_t width = GENERATE(1, 7, 64, 100);
  const double size = GENERATE(1e-30, 1.0, 1e30);
  INFO(steps << " steps, width " << width << ", size " << size);
  torch::manual_seed(1);
  auto x = torch::randn({200, width});
  const auto even = torch::arange(width).remainder(2).mul(2).sub(1).view({1, width});  // 0 is between two steps
  x = torch::cat({x, x.abs(), -x.abs(), torch::zeros({1, width}), even}) * size;
  const auto whole = torch::empty({610, width + 4}, torch::kByte);
  const auto ranges = quantize_rows(x, steps, zero, whole);
  CHECK(whole.narrow(0, 0, x.size(0)).max().item<int64_t>() <= steps);
  CHECK(whole.narrow(0, 0, x.size(0)).narrow(1, width, 4).max().item<int64_t>() == 0);
  const auto error = (restored(whole.narrow(0, 0, x.size(0)).narrow(1, 0, width), ranges) - x).abs();
  for (int64_t row = 0; row < x.size(0); ++row) {
    const auto& range = ranges[static_cast<size_t>(row)];
    const double step = range.scale;
    REQUIRE(error[row].max().item<double>() <= 0.5001 * step);
    if (zero == RowZero::in_the_middle) REQUIRE(range.zero == steps / 2);
    if (row >= 200 && row < 600 && zero == RowZero::of_each_row) {  // on one side of 0 all steps are for that side
      REQUIRE(step * steps == Approx(x[row].abs().max().item<double>()).epsilon(1e-5));
    }
  }
}

TEST_CASE("rows in whole numbers: next to nothing is nothing") {
  const auto zero = GENERATE(RowZero::in_the_middle, RowZero::of_each_row);
  const float least = std::numeric_limits<float>::denorm_min();
  const auto x = torch::tensor({-least, 0.0F, 1000 * least, 1e-38F}).view({1, 4});
  const auto whole = torch::empty({1, 4}, torch::kByte);
  CHECK(max_difference(restored(whole, quantize_rows(x, 126, zero, whole)), torch::zeros({1, 4})) < 1e-36);
}

TEST_CASE("a matrix in whole numbers has 127 in each row, but for rows of next to nothing") {
  torch::manual_seed(1);
  auto W = torch::randn({5, 30});
  W[1] = 0;
  W[3] = 1e-40F;
  const auto [whole, scale] = quantize(W);
  CHECK(torch::equal(whole.abs().amax(1).to(torch::kLong), torch::tensor({127, 0, 127, 0, 127})));
  CHECK(max_difference(whole, W * scale.unsqueeze(1)) < 0.5001);
}

}  // namespace transformer

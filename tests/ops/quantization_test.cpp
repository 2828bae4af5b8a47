#include "ops/quantization.h"

#include "catch.h"
#include "kernels/cpu/quantize_rows.h"
#include "tensors.h"

namespace transformer {
namespace {

using cpu::QuantizationRange;

torch::Tensor dequantize(const torch::Tensor& levels, const std::vector<cpu::RowQuantization>& rows) {
  auto x = levels.to(torch::kFloat);
  for (int64_t row = 0; row < x.size(0); ++row) {
    const auto& [zero_point, scale] = rows[static_cast<size_t>(row)];
    x[row] = (x[row] - zero_point) * scale;
  }
  return x;
}

}  // namespace

TEST_CASE("quantized rows are within half a level of their values") {
  const auto [max_level, range] = GENERATE(table<int32_t, QuantizationRange>({{254, QuantizationRange::symmetric},
                                                                              {126, QuantizationRange::symmetric},
                                                                              {127, QuantizationRange::asymmetric}}));
  const int64_t width = GENERATE(1, 7, 64, 100);
  const double size = GENERATE(1e-30, 1.0, 1e30);
  INFO(max_level << " levels, width " << width << ", size " << size);
  torch::manual_seed(1);
  auto x = torch::randn({200, width});
  const auto even = torch::arange(width).remainder(2).mul(2).sub(1).view({1, width});  // 0 is between two levels
  x = torch::cat({x, x.abs(), -x.abs(), torch::zeros({1, width}), even}) * size;
  const auto levels = torch::empty({610, width + 4}, torch::kByte);
  const auto rows = cpu::quantize_rows(x, max_level, range, levels);
  CHECK(levels.narrow(0, 0, x.size(0)).max().item<int64_t>() <= max_level);
  CHECK(levels.narrow(0, 0, x.size(0)).narrow(1, width, 4).max().item<int64_t>() == 0);
  const auto error = (dequantize(levels.narrow(0, 0, x.size(0)).narrow(1, 0, width), rows) - x).abs();
  for (int64_t i = 0; i < x.size(0); ++i) {
    const auto& row = rows[static_cast<size_t>(i)];
    const double level = row.scale;
    REQUIRE(error[i].max().item<double>() <= 0.5001 * level);
    if (range == QuantizationRange::symmetric) REQUIRE(row.zero_point == max_level / 2);
    if (i >= 200 && i < 600 && range == QuantizationRange::asymmetric) {  // values of one sign get all levels
      REQUIRE(level * max_level == Approx(x[i].abs().max().item<double>()).epsilon(1e-5));
    }
  }
}

TEST_CASE("quantized rows: values that are almost zero become zero") {
  const auto range = GENERATE(QuantizationRange::symmetric, QuantizationRange::asymmetric);
  const float least = std::numeric_limits<float>::denorm_min();
  const auto x = torch::tensor({-least, 0.0F, 1000 * least, 1e-38F}).view({1, 4});
  const auto levels = torch::empty({1, 4}, torch::kByte);
  CHECK(max_difference(dequantize(levels, cpu::quantize_rows(x, 126, range, levels)), torch::zeros({1, 4})) < 1e-36);
}

TEST_CASE("quantized rows: a value that is not finite makes the scale of its row NaN") {
  const auto range = GENERATE(QuantizationRange::symmetric, QuantizationRange::asymmetric);
  const float value = GENERATE(std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                               std::numeric_limits<float>::quiet_NaN());
  const int64_t column = GENERATE(0, 17, 36);  // among the lanes of each processor, and behind them
  auto x = torch::randn({3, 37});
  x.index_put_({1, column}, value);
  const auto rows = cpu::quantize_rows(x, 126, range, torch::empty({3, 37}, torch::kByte));
  CHECK(std::isfinite(rows[0].scale));
  CHECK(std::isnan(rows[1].scale));
  CHECK(std::isfinite(rows[2].scale));
}

TEST_CASE("a quantized matrix has the level 127 in each row, but for rows that are almost zero") {
  torch::manual_seed(1);
  auto W = torch::randn({5, 30});
  W[1] = 0;
  W[3] = 1e-40F;
  const auto [levels, inverse_scales] = quantize(W);
  CHECK(torch::equal(levels.abs().amax(1).to(torch::kLong), torch::tensor({127, 0, 127, 0, 127})));
  CHECK(max_difference(levels, W * inverse_scales.unsqueeze(1)) < 0.5001);
}

}  // namespace transformer

#include "ops/packed_weight.h"

#include <algorithm>

#include "catch.h"
#include "int8_layouts.h"
#include "kernels/cpu/fp32_panels.h"
#include "operation_recorder.h"
#include "platform/cpu_features.h"
#include "tensors.h"

namespace transformer {

TEST_CASE("a packed weight multiplies as the matrix does, to its type's precision") {
  const double int8_tolerance = has_int8_dot_product() ? 0.015 : 0.022;  // 8 or 7 bits of x
  const auto [type, tolerance] = GENERATE_COPY(table<WeightType, double>({{WeightType::fp32, 3e-6},
                                                                          {WeightType::bf16, 0.01},
                                                                          {WeightType::fp16, 0.001},
                                                                          {WeightType::int8, int8_tolerance}}));
  const auto [rows, in, out] = GENERATE(table<int64_t, int64_t, int64_t>(
      {{1, 16, 16}, {4, 512, 512}, {37, 100, 33}, {256, 64, 1000}, {3, 7, 5}, {29, 2048, 40}}));
  const bool has_bias = GENERATE(false, true);
  std::optional<PlainOperations> plain;  // with the library's kernels
  if (GENERATE(false, true)) plain.emplace();
  INFO(EnumNames<WeightType>::names[static_cast<size_t>(type)] << (plain ? ", plain, " : ", ") << rows << " x " << in
                                                               << " x " << out);
  torch::manual_seed(1);
  const auto x = torch::randn({rows, in}) * torch::rand({rows, 1}).exp(), weight = torch::randn({out, in});
  const auto bias = has_bias ? torch::randn({out}) : torch::Tensor();
  const auto y = pack_weight(weight, bias, type)->multiply(x);
  auto expected = x.to(torch::kDouble).matmul(weight.to(torch::kDouble).t());
  if (has_bias) expected = expected + bias;
  REQUIRE(y.scalar_type() == torch::kFloat);
  REQUIRE(y.sizes() == expected.sizes());
  const double error = (y - expected).norm().item<double>() / expected.norm().item<double>();
  CHECK(error < tolerance);
  if (type != WeightType::fp32) CHECK(error > tolerance / 100);  // it does compute in fewer bits
}

TEST_CASE("a packed weight's product with ReLU is its product followed by ReLU") {
  const auto type = GENERATE(WeightType::fp32, WeightType::bf16, WeightType::fp16, WeightType::int8);
  INFO(EnumNames<WeightType>::names[static_cast<size_t>(type)]);
  torch::manual_seed(1);
  const auto x = torch::randn({5, 24});
  const auto weight = pack_weight(torch::randn({40, 24}), torch::randn({40}), type);
  const auto y = weight->multiply_relu(x);
  CHECK(y.min().item<float>() == 0);
  CHECK(torch::equal(y, weight->multiply(x).relu()));
}

TEST_CASE("a packed weight's product with ReLU is a single operation on a GPU", "[gpu]") {
  torch::manual_seed(1);
  const GpuForm form;
  const auto random = [](torch::IntArrayRef sizes) { return torch::randn(sizes).to(GpuForm::device()); };
  const auto x = random({5, 24}).to(torch::kHalf);
  const auto weight = pack_weight(random({40, 24}), random({40}), WeightType::fp16);
  const OperationRecorder recorder;
  const auto y = weight->multiply_relu(x);
  CHECK(recorder.has("aten::_addmm_activation"));
  CHECK(y.scalar_type() == torch::kHalf);
  CHECK(y.min().item<float>() == 0);
  CHECK(max_difference(y, weight->multiply(x).relu()) < 0.02);  // of values up to 16
}

TEST_CASE("a row's product is the same to the last bit, whatever its neighbors are") {
  const auto type = GENERATE(WeightType::fp32, WeightType::bf16, WeightType::int8);
  const auto [in, out] = GENERATE(table<int64_t, int64_t>({{64, 70}, {1024, 32}, {33, 5}}));
  std::optional<PlainOperations> plain;  // with the library's kernels
  if (GENERATE(false, true)) plain.emplace();
  const auto empty = torch::empty({1, 1});
  if (type == WeightType::fp32 && !pack_fp32_panel_weight(empty, {})) return;
  if (type == WeightType::bf16 && !pack_bf16_panel_weight(empty, {})) return;
  torch::manual_seed(1);
  const auto weight = pack_weight(torch::randn({out, in}), torch::randn({out}), type);
  const auto x = torch::randn({50, in}) * torch::arange(1, 51).unsqueeze(1);
  const auto all = weight->multiply(x);
  std::vector<std::pair<int64_t, int64_t>> parts = {{0, 1}, {7, 5}, {30, 20}, {49, 1}};
  for (int64_t rows = 1; rows <= 25; ++rows) parts.emplace_back(50 - 2 * rows, rows);
  for (const auto& [first, rows] : parts) {
    CHECK(torch::equal(weight->multiply(x.narrow(0, first, rows)), all.narrow(0, first, rows)));
  }
}

TEST_CASE("every int8 layout that the processor supports multiplies as the matrix does") {
  const auto [rows, in, out] = GENERATE(
      table<int64_t, int64_t, int64_t>({{1, 16, 16}, {4, 512, 512}, {37, 100, 33}, {130, 64, 1000}, {3, 7, 5}}));
  torch::manual_seed(1);
  const auto x = torch::randn({rows, in}), weight = torch::randn({out, in}), bias = torch::randn({out});
  const auto expected = torch::linear(x, weight, bias);
  for (const auto& [name, layout] : int8_layouts(weight, bias)) {
    INFO(name << ", " << rows << " x " << in << " x " << out);
    CHECK((layout->multiply(x) - expected).norm().item<double>() < 0.022 * expected.norm().item<double>());
  }
}

TEST_CASE("the product in bf16 panels has sums in fp32 of exact products") {
  const auto [rows, in, out] = GENERATE(table<int64_t, int64_t, int64_t>(
      {{1, 64, 32}, {2, 63, 33}, {16, 512, 64}, {17, 100, 31}, {32, 65, 70}, {33, 512, 96}, {100, 2048, 5}}));
  INFO(rows << " x " << in << " x " << out);
  torch::manual_seed(1);
  const auto round = [](const torch::Tensor& x) { return x.to(torch::kBFloat16).to(torch::kDouble); };
  const auto x = torch::randn({rows, in}), weight = torch::randn({out, in}), bias = torch::randn({out});
  const auto panels = pack_bf16_panel_weight(weight, bias);
  if (panels == nullptr) return;
  const auto expected = round(x).matmul(round(weight).t()) + bias.to(torch::kDouble);
  CHECK(max_difference(panels->multiply(x), expected.to(torch::kFloat)) < 2e-4);  // of values up to 150
}

TEST_CASE("int8 panels of a quantized matrix and of the matrix itself have the same product") {
  const auto [rows, in, out] = GENERATE(table<int64_t, int64_t, int64_t>({{1, 64, 32}, {5, 100, 33}, {70, 512, 40}}));
  torch::manual_seed(1);
  const auto x = torch::randn({rows, in}), weight = torch::randn({out, in}), bias = torch::randn({out});
  const auto panels = pack_int8_panel_weight(weight, bias);
  if (panels == nullptr) return;
  const auto y = panels->multiply(x), restored = pack_int8_panel_weight(quantize(weight), bias)->multiply(x);
  if (has_int8_dot_product()) {
    CHECK(torch::equal(restored, y));
  } else {  // quantized twice
    CHECK((restored - y).norm().item<double>() < 0.02 * y.norm().item<double>());
  }
}

TEST_CASE("the product in int8 panels is that of the levels, without a rounding of sums") {
  // With 8-bit activations from -128 to 127 and weights from -127 to 127, in which nothing is rounded.
  if (!has_int8_dot_product()) return;
  const auto [rows, in, out] = GENERATE(table<int64_t, int64_t, int64_t>(
      {{1, 64, 32}, {2, 63, 33}, {16, 512, 64}, {17, 100, 31}, {32, 65, 70}, {33, 512, 96}, {100, 2048, 5}}));
  INFO(rows << " x " << in << " x " << out);
  torch::manual_seed(1);
  auto x = torch::randint(-128, 128, {rows, in}).to(torch::kFloat);
  auto weight = torch::randint(-127, 128, {out, in}).to(torch::kFloat);
  x.select(1, 0) = -128;
  x.select(1, 1) = 127;
  weight.select(1, 2) = 127;
  const auto expected = torch::matmul(x.to(torch::kDouble), weight.to(torch::kDouble).t());
  const auto panels = pack_int8_panel_weight(weight, {});
  if (panels == nullptr) return;  // without this program's kernels
  CHECK(max_difference(panels->multiply(x), expected.to(torch::kFloat)) <= 2e-7 * expected.abs().max().item<double>());
}

TEST_CASE("panels return the rows of the matrix") {
  torch::manual_seed(1);
  const auto matrix = torch::randn({70, 20});
  const auto numbers = torch::tensor({69, 0, 31, 32, 33, 31});
  CHECK(
      torch::equal(cpu::rows_of_fp32_panels(cpu::pack_fp32_panels(matrix), numbers), matrix.index_select(0, numbers)));
}

TEST_CASE("a plain matrix gives back its rows in fp32") {
  torch::manual_seed(1);
  const auto matrix = torch::randn({70, 20});
  const auto numbers = torch::tensor({69, 0, 31, 31});
  const auto weight = pack_weight(matrix, {}, WeightType::fp16);
  REQUIRE(weight->has_rows());
  const auto rows = weight->rows(numbers);
  CHECK(rows.scalar_type() == torch::kFloat);
  CHECK(torch::equal(rows, matrix.to(torch::kHalf).to(torch::kFloat).index_select(0, numbers)));
}

TEST_CASE("in int8 zeros stay zeros, and only the bias is left") {
  const auto bias = torch::randn({5});
  auto matrix = torch::randn({5, 16});
  matrix[2] = 0;
  const auto weight = pack_weight(matrix, bias, WeightType::int8);
  CHECK(max_difference(weight->multiply(torch::zeros({2, 16})), bias.expand({2, 5})) < 1e-6);
  CHECK(weight->multiply(torch::ones({1, 16}))[0][2].item<float>() == Approx(bias[2].item<float>()));
}

TEST_CASE("in int8 the largest numbers beside each other are multiplied right") {
  const int64_t width = GENERATE(2, 64, 512);
  const auto signs = torch::tensor({1.0F, -1.0F}).unsqueeze(1);  // products of +1 with +1, and with -1
  for (const auto& [name, layout] : int8_layouts(signs.expand({2, width}), {})) {
    INFO(name);
    const auto y = layout->multiply(signs.expand({2, width}));
    CHECK(max_difference(y, signs.matmul(signs.t()) * width) < 1e-4 * static_cast<double>(width));
  }
}

TEST_CASE("int8 products are exact for weights of which four just fit into 16 bits, and for larger ones") {
  // A row whose largest number is 127 has the scale 1. Without VNNI, activations have levels up to 181 in panels, so
  // sums of four products fit into 16 bits if the four weights add up to at most 181, or to 179 before rounding. Each
  // case is named for its largest sum of four weights.
  const auto [name, numbers] = GENERATE(table<std::string, std::vector<float>>(
      {{"179", {127, 26, 127, 26, 26, 0, 26, 0, 1, 2, 127, 20, 3, 4, 20, 10}},
       {"182", {127, 26, 1, 2, 26, 3, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}},
       {"181, and 182 when rounded", {127, 18.6F, 1, 2, 17.6F, 17.6F, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}},
       {"258, 259 and more", {64,  64, 0,   0,   65,  65,  0,   0,   64,  65,  0, 0, 65, 65, 0,  0,  0,  0,  127,
                              127, 0,  0,   4,   0,   0,   0,   127, 127, 0,   0, 4, 1,  20, 30, 40, 50, 10, 20,
                              30,  7,  127, 127, 127, 127, 127, 127, 127, 127, 1, 2, 3,  4,  5,  6,  7,  8}},
       {"508", {127, 127, 127, 127, 127, 127, 127, 127, 1, 2, 3, 4, 5, 6, 7, 8}},
       {"508 at the end", {1, 2, 3, 4, 5, 6, 7, 8, 127, 127, 127, 127, 127, 127, 127, 127, 1, 2}}}));
  torch::manual_seed(1);
  const auto row = torch::tensor(numbers).view({1, -1});
  const int64_t width = row.size(1);
  const auto signs = [&](int64_t rows) { return torch::randint(0, 2, {rows, width}).mul(2).sub(1) * row; };
  const auto W = torch::cat({row.expand({33, width}), -row.expand({33, width}), signs(70)});
  const auto x =
      torch::cat({torch::full({1, width}, 127.0F), torch::randint(0, 2, {30, width}).to(torch::kFloat) * 127});
  const auto plain_steps = torch::full({W.size(0), 1}, 127.0F);
  // Panels add numbers 0, 1, 4, 5 together, and 2, 3, 6, 7.
  const auto fours = torch::constant_pad_nd(W, {0, -width & 7}).view({W.size(0), -1, 2, 2, 2});
  const auto most = [&](const torch::Tensor& sign) {
    return (fours * sign).clamp_min(0).sum({2, 4}).amax({1, 2}).unsqueeze(1);
  };
  const auto panel_steps =
      has_int8_dot_product()
          ? plain_steps
          : torch::minimum(plain_steps,
                           (179 * 127 / torch::maximum(most(torch::tensor(1)), most(torch::tensor(-1)))).floor());
  for (const auto& [layout_name, layout] : int8_layouts(W, {})) {
    INFO(layout_name << ", " << name);
    const auto& steps = layout_name == "panels" ? panel_steps : plain_steps;
    const auto rounded = (W * steps / 127).round() * 127 / steps;
    CHECK(max_difference(layout->multiply(x), x.matmul(rounded.t())) < 2);
  }
}

}  // namespace transformer

#include "ops/dropout.h"

#include <ATen/Parallel.h>

#include "catch.h"
#include "operation_recorder.h"
#include "tensors.h"

namespace transformer {
namespace {

/// Each row is a sequence of one position.
Packing rows(int64_t count) { return Packing(std::vector<int64_t>(static_cast<size_t>(count), 1)); }

torch::Tensor drop(const torch::Tensor& x, double p) { return dropout(PackedSequence{x, rows(x.size(0))}, p).data; }

}  // namespace

TEST_CASE("dropout zeroes the given share and scales the rest, so that the mean stays") {
  torch::manual_seed(1);
  for (const double p : {0.1, 0.3, 0.9}) {
    const auto y = drop(torch::ones({1000, 1000}), p);
    const auto share = (y == 0).to(torch::kDouble).mean().item<double>();
    CHECK(share == Approx(p).margin(0.002));  // 1,000,000 draws: four deviations
    CHECK(y.max().item<double>() == Approx(1 / (1 - p)));
    CHECK(y.mean().item<double>() == Approx(1.0).margin(0.02));
  }
}

TEST_CASE("dropout's masks are independent from call to call and from element to element") {
  torch::manual_seed(1);
  const auto ones = torch::ones({1, 1 << 20});
  const auto a = (drop(ones, 0.5) == 0).to(torch::kDouble) - 0.5;
  const auto b = (drop(ones, 0.5) == 0).to(torch::kDouble) - 0.5;
  // Correlations of a million fair coins lie within 0.005.
  CHECK(std::abs((a * b).mean().item<double>()) * 4 < 0.005);
  for (const int64_t distance : {1, 2, 16, 512, 4096}) {
    const auto shifted = a.slice(1, distance), start = a.slice(1, 0, a.size(1) - distance);
    CHECK(std::abs((start * shifted).mean().item<double>()) * 4 < 0.005);
  }
}

TEST_CASE("dropout's gradient passes where the value passed") {
  torch::manual_seed(1);
  const auto x = torch::randn({33, 77}).requires_grad_();
  const auto y = drop(x, 0.3);
  y.sum().backward();
  CHECK(max_difference(x.grad() * x.detach(), y.detach()) < 1e-6);
}

TEST_CASE("dropout follows from the seed alone, whatever the number of threads") {
  const auto x = torch::randn({300, 1000});
  const int threads = torch::get_num_threads();
  torch::set_num_threads(4);
  torch::manual_seed(5);
  const auto many = drop(x, 0.3);
  torch::set_num_threads(1);
  torch::manual_seed(5);
  const auto one = drop(x, 0.3);
  torch::set_num_threads(threads);
  CHECK(torch::equal(one, many));
}

TEST_CASE("dropout's masks are independent from row to row, and from scope to scope") {
  const auto ones = torch::ones({2, 1 << 20});
  const auto coins = [&](uint64_t seed, const std::vector<int64_t>& keys) {
    DropoutScope scope(seed, keys);
    return (drop(ones, 0.5) == 0).to(torch::kDouble) - 0.5;
  };
  const auto a = coins(1, {0, 1}), b = coins(2, {0, 1});
  CHECK(std::abs((a[0] * a[1]).mean().item<double>()) * 4 < 0.005);
  CHECK(std::abs((a * b).mean().item<double>()) * 4 < 0.005);
}

TEST_CASE("dropout gives a sentence the same masks wherever it stands and however long the others are") {
  const auto x = torch::randn({5, 24});
  const auto beside = torch::cat({torch::randn({9, 24}), x, torch::randn({2, 24})});
  std::vector<torch::Tensor> alone, together;
  {
    DropoutScope scope(7, {42});
    for (int call = 0; call < 2; ++call) alone.push_back(dropout(PackedSequence{x, Packing({5})}, 0.4).data);
  }
  {
    DropoutScope scope(7, {5, 42, 6});
    for (int call = 0; call < 2; ++call)
      together.push_back(dropout(PackedSequence{beside, Packing({9, 5, 2})}, 0.4).data);
  }
  for (size_t call = 0; call < 2; ++call) {
    CHECK(torch::equal(alone[call], together[call].slice(0, 9, 14)));
    CHECK_FALSE(torch::equal(together[call].slice(0, 0, 5).eq(0), together[call].slice(0, 9, 14).eq(0)));
  }
  CHECK_FALSE(torch::equal(alone[0], alone[1]));
}

TEST_CASE("dropout of attention weights gives a sentence the same masks however long the others are") {
  static constexpr double kP = 0.4;
  const auto weights = torch::rand({1, 2, 5, 6});                                          // [B, h, T, S]
  const auto beside = torch::constant_pad_nd(weights, {0, 3, 0, 4}).repeat({2, 1, 1, 1});  // [2, h, 9, 9]
  torch::Tensor alone, together;
  {
    DropoutScope scope(7, {42});
    alone = attention_dropout(weights, next_dropout_seeds(Packing({5}), kP));
  }
  {
    DropoutScope scope(7, {5, 42});
    together = attention_dropout(beside, next_dropout_seeds(Packing({5, 9}), kP));
  }
  CHECK(torch::equal(alone[0], together[1].slice(1, 0, 5).slice(2, 0, 6)));
  CHECK_FALSE(torch::equal(together[0], together[1]));
  CHECK_FALSE(torch::equal(alone[0][0].eq(0), alone[0][1].eq(0)));  // each head its own
  const auto many = attention_dropout(torch::ones({10, 10, 100, 100}), next_dropout_seeds(rows(10), kP));
  const auto share = many.eq(0).to(torch::kDouble).mean();
  CHECK(share.item<double>() == Approx(kP).margin(0.003));
}

TEST_CASE("the dropout kernel drops the same elements as LibTorch's operators") {
  const Packing packing({7, 1, 30, 2});
  const auto x = torch::randn({40, 33});
  const std::vector<int64_t> keys = {3, 1, 4, 1};
  const DropoutMask mask = [&] {
    const DropoutScope scope(11, keys);
    return next_dropout_mask(packing, 0.3);
  }();
  torch::Tensor by_kernel;
  {
    DropoutScope scope(11, keys);
    by_kernel = dropout(PackedSequence{x, packing}, 0.3).data;
  }
  const auto plain = plain_dropout(x, mask);
  CHECK(torch::equal(by_kernel.eq(0), plain.eq(0)));
  CHECK(max_difference(by_kernel, plain) < 1e-6);
  // Doubles have no kernel of their own.
  DropoutScope scope(11, keys);
  CHECK(torch::equal(dropout(PackedSequence{x.to(torch::kDouble), packing}, 0.3).data.eq(0), plain.eq(0)));
}

TEST_CASE("the GPU kernel of dropout drops the same elements, in the gradient too", "[gpu]") {
  const auto type = GENERATE(torch::kFloat, torch::kBFloat16);
  const int64_t width = GENERATE(32, 33);
  const auto values = torch::randn({40, width}).to(type);
  const auto pass = [&](torch::Device device) {
    const auto x = values.to(device, type, /*non_blocking=*/false, /*copy=*/true).requires_grad_();
    const DropoutScope scope(11, {3, 1, 4, 1});
    const auto y = dropout(PackedSequence{x, Packing({7, 1, 30, 2}).to(device)}, 0.3).data;
    y.sum().backward();
    return std::vector<torch::Tensor>{y.detach().cpu(), x.grad().cpu()};
  };
  const auto cpu = pass(torch::kCPU);
  const GpuForm form;
  const OperationRecorder recorder;
  const auto gpu = pass(GpuForm::device());
  CHECK(recorder.has("gpu::dropout"));
  for (size_t i = 0; i < cpu.size(); ++i) CHECK(torch::equal(gpu[i], cpu[i]));
}

TEST_CASE("dropout with p = 0 or an empty mask changes nothing") {
  const auto x = torch::randn({3, 4});
  CHECK(torch::equal(dropout(PackedSequence{x, rows(3)}, 0.0).data, x));
  CHECK(torch::equal(dropout(x, DropoutMask()), x));
}

}  // namespace transformer

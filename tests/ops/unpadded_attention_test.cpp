#include "ops/unpadded_attention.h"

#include <vector>

#include "catch.h"
#include "ops/attention.h"
#include "stand_in_attention.h"
#include "tensors.h"

namespace transformer {
namespace {

/// The output, then the gradients by query, key and value.
std::vector<torch::Tensor> pass(torch::Dtype type, const AttentionMask& mask, bool is_cross_attention) {
  torch::manual_seed(1);
  const Packing queries({4, 1, 9, 2}), keys(is_cross_attention ? std::vector<int64_t>{5, 12, 1, 3} : queries.lengths());
  const auto random = [&](const Packing& packing) {
    return PackedSequence{torch::randn({packing.num_positions(), 3, 8}).to(type).requires_grad_(), packing};
  };
  const auto q = random(queries), k = random(keys), v = random(keys);
  const auto output = scaled_dot_product_attention(q, k, v, mask, /*dropout=*/0).data;
  output.backward(torch::randn_like(output));
  return {output.detach(), q.data.grad(), k.data.grad(), v.data.grad()};
}

}  // namespace

TEST_CASE("unpadded attention equals equation 1, values and gradients, for every mask") {
  const StandInAttention kernels;
  const auto type = GENERATE(torch::kFloat, torch::kBFloat16);
  const bool is_cross_attention = GENERATE(false, true);
  const auto mask = GENERATE(AttentionMask{}, AttentionMask{.causal = true, .window = {}},
                             AttentionMask{.causal = false, .window = 2}, AttentionMask{.causal = true, .window = 2});
  if (is_cross_attention && (mask.causal || mask.window)) return;
  INFO(type << (mask.causal ? ", causal" : "") << (mask.window ? ", window" : "")
            << (is_cross_attention ? ", cross" : ""));
  const auto expected = pass(type, mask, is_cross_attention);
  const GpuKernelsOnHost on_host;
  pass(type, AttentionMask(), false);  // the first use of a kernel tries it
  const int64_t calls_before = kernels.calls();
  const auto unpadded = pass(type, mask, is_cross_attention);
  CHECK(kernels.calls() - calls_before ==
        (type == torch::kFloat && mask.window ? 0 : 1));  // the kernel for fp32 has no window
  for (size_t i = 0; i < expected.size(); ++i) {
    INFO("tensor " << i);
    CHECK(max_difference(unpadded[i], expected[i]) < (type == torch::kFloat ? 1e-5 : 0.06));
  }
}

TEST_CASE("unpadded attention is for the sizes and types that LibTorch's kernels take") {
  const StandInAttention kernels;
  const auto serves = [](torch::Dtype type, int64_t d_k, int64_t d_v, const AttentionMask& mask = {}) {
    return has_unpadded_attention(torch::zeros({5, 2, d_k}, type), torch::zeros({5, 2, d_k}, type),
                                  torch::zeros({5, 2, d_v}, type), mask);
  };
  CHECK(serves(torch::kBFloat16, 64, 64));
  CHECK(serves(torch::kHalf, 256, 256));
  CHECK_FALSE(serves(torch::kBFloat16, 264, 264));
  CHECK_FALSE(serves(torch::kBFloat16, 12, 12));
  CHECK_FALSE(serves(torch::kBFloat16, 64, 32));
  CHECK(serves(torch::kFloat, 64, 32));
  CHECK_FALSE(serves(torch::kFloat, 64, 64, {.causal = false, .window = 3}));
  CHECK_FALSE(serves(torch::kDouble, 64, 64));
}

TEST_CASE("without LibTorch's kernels attention is padded") {
  const GpuKernelsOnHost on_host;
  const auto q = torch::zeros({5, 2, 8}, torch::kBFloat16);
  CHECK_FALSE(has_unpadded_attention(q, q, q, AttentionMask()));
}

}  // namespace transformer

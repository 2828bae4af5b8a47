#include "ops/unpadded_attention.h"

#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "operation_recorder.h"
#include "ops/attention.h"
#include "stand_in_attention.h"
#include "tensors.h"

namespace transformer {
namespace {

/// The output, then the gradients with respect to query, key and value.
std::vector<torch::Tensor> pass(torch::Dtype type, const AttentionMask& mask, bool is_cross_attention,
                                torch::Device device) {
  torch::manual_seed(1);
  const Packing queries({4, 1, 9, 2}), keys(is_cross_attention ? std::vector<int64_t>{5, 12, 1, 3} : queries.lengths());
  const auto random = [&](const Packing& packing) {
    const auto values = torch::randn({packing.num_positions(), 3, 8}).to(device, type);
    return PackedSequence{values.requires_grad_(), packing.to(device)};
  };
  const auto q = random(queries), k = random(keys), v = random(keys);
  const auto output = scaled_dot_product_attention(q, k, v, mask, /*dropout=*/0).data;
  output.backward(torch::randn(output.sizes()).to(device, type));
  return {output.detach(), q.data.grad(), k.data.grad(), v.data.grad()};
}

}  // namespace

TEST_CASE("unpadded attention equals equation 1, values and gradients, for every mask", "[gpu]") {
  const StandInAttention on_host;
  const auto type = GENERATE(torch::kFloat, torch::kBFloat16);
  const bool is_cross_attention = GENERATE(false, true);
  const auto mask = GENERATE(AttentionMask{}, AttentionMask{.causal = true, .reach = {}},
                             AttentionMask{.causal = false, .reach = 2}, AttentionMask{.causal = true, .reach = 2});
  if (is_cross_attention && (mask.causal || mask.reach)) return;
  INFO(type << (mask.causal ? ", causal" : "") << (mask.reach ? ", restricted" : "")
            << (is_cross_attention ? ", cross" : ""));
  const auto expected = pass(type, mask, is_cross_attention, torch::kCPU);
  const GpuForm form;
  pass(type, mask, is_cross_attention, GpuForm::device());  // the first use of a kernel tries it
  const OperationRecorder recorder;
  const auto unpadded = pass(type, mask, is_cross_attention, GpuForm::device());
  const auto is_called = [&](const std::string& kernel) {  // with sequences that are not padded
    return std::any_of(recorder.operations().begin(), recorder.operations().end(), [&](const auto& operation) {
      return operation.name == kernel && operation.around.find("scaled_dot_product") == std::string::npos;
    });
  };
  CHECK(is_called("aten::_flash_attention_forward") == (type == torch::kBFloat16));
  // This kernel has no window.
  CHECK(is_called("aten::_efficient_attention_forward") == (type == torch::kFloat && !mask.reach));
  for (size_t i = 0; i < expected.size(); ++i) {
    INFO("tensor " << i);
    CHECK(max_difference(unpadded[i], expected[i]) < (type == torch::kFloat ? 1e-5 : 0.06));
  }
}

TEST_CASE("a kernel of unpadded attention that works without a window, but not with one, serves only the former") {
  const StandInAttention on_host;
  // In fp16, which no other test uses with a window: that the kernel does not work is remembered.
  const auto pass_in_fp16 = [](const AttentionMask& mask, torch::Device device) {
    return pass(torch::kHalf, mask, /*is_cross_attention=*/false, device);
  };
  const AttentionMask restricted{.causal = true, .reach = 2};
  const auto expected = pass_in_fp16(restricted, torch::kCPU);
  const HostGpuForm form;
  const stand_in::FaultyWindow fault;
  pass_in_fp16(AttentionMask(), torch::kCPU);  // the first use of a kernel tries it
  const auto found = pass_in_fp16(restricted, torch::kCPU);
  for (size_t i = 0; i < expected.size(); ++i) CHECK(max_difference(found[i], expected[i]) == 0);
  const auto is_unpadded = [&](const AttentionMask& mask) {
    const OperationRecorder recorder;
    pass_in_fp16(mask, torch::kCPU);
    return recorder.has("aten::_flash_attention_forward");
  };
  CHECK(is_unpadded(AttentionMask()));
  CHECK_FALSE(is_unpadded(restricted));
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
  CHECK_FALSE(serves(torch::kFloat, 64, 64, {.causal = false, .reach = 3}));
  CHECK_FALSE(serves(torch::kDouble, 64, 64));
}

TEST_CASE("without LibTorch's kernels attention is padded") {
  const HostGpuForm form;
  const auto q = torch::zeros({5, 2, 8}, torch::kBFloat16);
  CHECK_FALSE(has_unpadded_attention(q, q, q, AttentionMask()));
}

}  // namespace transformer

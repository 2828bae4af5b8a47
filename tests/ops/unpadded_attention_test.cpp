#include "ops/unpadded_attention.h"

#include <torch/library.h>

#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "catch.h"
#include "ops/attention.h"
#include "tensors.h"

namespace transformer {
namespace {

/// Stands in for LibTorch's CUDA kernels of attention, of which the documented meaning of all arguments is computed on
/// the CPU.
struct VariableLengthAttention {
  torch::Tensor query_offsets, key_offsets;
  int64_t max_queries, max_keys, before, after;
  double scale;

  /// q, k, v [positions, h, width]. Returns the output.
  torch::Tensor operator()(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v) const {
    TORCH_CHECK(query_offsets.scalar_type() == torch::kInt && key_offsets.scalar_type() == torch::kInt);
    const auto *first_query = query_offsets.const_data_ptr<int32_t>(),
               *first_key = key_offsets.const_data_ptr<int32_t>();
    std::vector<torch::Tensor> outputs;
    for (int64_t b = 0; b + 1 < query_offsets.size(0); ++b) {
      const int64_t T = first_query[b + 1] - first_query[b], S = first_key[b + 1] - first_key[b];
      TORCH_CHECK(T <= max_queries && S <= max_keys, "a sequence is longer than the given maximum");
      const auto part = [](const torch::Tensor& x, const int32_t* first) {
        return x.slice(0, first[0], first[1]).transpose(0, 1).to(torch::kFloat);  // [h, length, width]
      };
      auto scores = part(q, first_query + b).matmul(part(k, first_key + b).transpose(1, 2)) * scale;  // [h, T, S]
      const auto distance = torch::arange(S).unsqueeze(0) - torch::arange(T).unsqueeze(1);
      if (after >= 0) scores = scores.masked_fill(distance > after, -std::numeric_limits<float>::infinity());
      if (before >= 0) scores = scores.masked_fill(distance < -before, -std::numeric_limits<float>::infinity());
      outputs.push_back(torch::softmax(scores, -1).matmul(part(v, first_key + b)).transpose(0, 1));
    }
    return torch::cat(outputs).to(q.scalar_type());
  }

  std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> backward(const torch::Tensor& gradient,
                                                                   const torch::Tensor& q, const torch::Tensor& k,
                                                                   const torch::Tensor& v) const {
    const c10::InferenceMode off(false);  // autograd, too, which is off inside of kernels
    std::vector<torch::Tensor> leaves;
    for (const auto& x : {q, k, v}) leaves.push_back(x.detach().clone().requires_grad_());
    (*this)(leaves[0], leaves[1], leaves[2]).backward(gradient);
    return {leaves[0].grad(), leaves[1].grad(), leaves[2].grad()};
  }
};

int calls = 0;  // of a kernel's forward pass

using FiveTensors = std::tuple<torch::Tensor, torch::Tensor, torch::Tensor, torch::Tensor, torch::Tensor>;

/// FlashAttention hides keys by its window; `causal` says that the window ends at the query.
VariableLengthAttention flash(const torch::Tensor& query_offsets, const torch::Tensor& key_offsets, int64_t max_q,
                              int64_t max_k, double p, bool causal, std::optional<double> scale,
                              std::optional<int64_t> left, std::optional<int64_t> right) {
  TORCH_CHECK(p == 0 && (!causal || right.value_or(-1) <= 0));
  return {query_offsets, key_offsets, max_q, max_k, left.value_or(-1), causal ? 0 : right.value_or(-1), scale.value()};
}

FiveTensors flash_forward(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                          const std::optional<torch::Tensor>& cum_q, const std::optional<torch::Tensor>& cum_k,
                          int64_t max_q, int64_t max_k, double p, bool causal, bool, std::optional<double> scale,
                          std::optional<int64_t> left, std::optional<int64_t> right,
                          const std::optional<torch::Tensor>&, const std::optional<torch::Tensor>&) {
  ++calls;
  const auto none = torch::zeros({1});
  return {flash(*cum_q, *cum_k, max_q, max_k, p, causal, scale, left, right)(q, k, v), none, none, none, none};
}

std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> flash_backward(
    const torch::Tensor& gradient, const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
    const torch::Tensor&, const torch::Tensor&, const torch::Tensor& cum_q, const torch::Tensor& cum_k, int64_t max_q,
    int64_t max_k, double p, bool causal, const torch::Tensor&, const torch::Tensor&, std::optional<double> scale,
    std::optional<int64_t> left, std::optional<int64_t> right) {
  return flash(cum_q, cum_k, max_q, max_k, p, causal, scale, left, right).backward(gradient, q, k, v);
}

VariableLengthAttention efficient(const std::optional<torch::Tensor>& cum_q, const std::optional<torch::Tensor>& cum_k,
                                  int64_t max_q, int64_t max_k, double p, int64_t mask_type,
                                  std::optional<double> scale) {
  TORCH_CHECK(p == 0 && (mask_type == 0 || mask_type == 1));  // all keys, or causal
  return {*cum_q, *cum_k, max_q, max_k, -1, mask_type == 1 ? 0 : -1, scale.value()};
}

std::tuple<torch::Tensor, torch::Tensor, torch::Tensor, torch::Tensor, c10::SymInt, c10::SymInt> efficient_forward(
    const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v, const std::optional<torch::Tensor>&,
    const std::optional<torch::Tensor>& cum_q, const std::optional<torch::Tensor>& cum_k,
    std::optional<c10::SymInt> max_q, std::optional<c10::SymInt> max_k, double p, int64_t mask_type, bool,
    std::optional<double> scale, const std::optional<torch::Tensor>&, std::optional<int64_t>) {
  ++calls;
  TORCH_CHECK(q.dim() == 4 && q.size(0) == 1);
  const auto attend = efficient(cum_q, cum_k, max_q->expect_int(), max_k->expect_int(), p, mask_type, scale);
  const auto none = torch::zeros({1});
  return {attend(q[0], k[0], v[0]).unsqueeze(0), none, none, none, *max_q, *max_k};
}

std::tuple<torch::Tensor, torch::Tensor, torch::Tensor, torch::Tensor> efficient_backward(
    const torch::Tensor& gradient, const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
    const std::optional<torch::Tensor>&, const torch::Tensor&, const std::optional<torch::Tensor>& cum_q,
    const std::optional<torch::Tensor>& cum_k, c10::SymInt max_q, c10::SymInt max_k, const torch::Tensor&, double p,
    const torch::Tensor&, const torch::Tensor&, int64_t mask_type, bool, std::optional<double> scale,
    std::optional<int64_t>, std::optional<int64_t>, bool) {
  const auto attend = efficient(cum_q, cum_k, max_q.expect_int(), max_k.expect_int(), p, mask_type, scale);
  const auto [by_q, by_k, by_v] = attend.backward(gradient[0], q[0], k[0], v[0]);
  return {by_q.unsqueeze(0), by_k.unsqueeze(0), by_v.unsqueeze(0), {}};
}

/// While it exists, LibTorch has these kernels on the CPU.
struct StandInKernels {
  StandInKernels() {
    library.impl("_flash_attention_forward", flash_forward);
    library.impl("_flash_attention_backward", flash_backward);
    library.impl("_efficient_attention_forward", efficient_forward);
    library.impl("_efficient_attention_backward", efficient_backward);
  }
  torch::Library library = MAKE_TORCH_LIBRARY_IMPL(aten, CPU);
};

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
  const StandInKernels kernels;
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
  calls = 0;
  const auto unpadded = pass(type, mask, is_cross_attention);
  CHECK(calls == (type == torch::kFloat && mask.window ? 0 : 1));  // the kernel for fp32 has no window
  for (size_t i = 0; i < expected.size(); ++i) {
    INFO("tensor " << i);
    CHECK(max_difference(unpadded[i], expected[i]) < (type == torch::kFloat ? 1e-5 : 0.06));
  }
}

TEST_CASE("unpadded attention is for the sizes and types that LibTorch's kernels take") {
  const StandInKernels kernels;
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

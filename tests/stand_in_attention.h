#pragma once

#include <torch/library.h>
#include <torch/types.h>

#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "operation_recorder.h"

namespace transformer {

namespace stand_in {

/// Eq. 1 within each sequence.
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

/// While it exists, FlashAttention ignores its window.
struct FaultyWindow {
  FaultyWindow() { exists = true; }
  ~FaultyWindow() { exists = false; }

  inline static bool exists = false;
};

/// FlashAttention hides keys by its window; `causal` says that the window ends at the query.
inline VariableLengthAttention flash(const torch::Tensor& query_offsets, const torch::Tensor& key_offsets,
                                     int64_t max_q, int64_t max_k, double p, bool causal, std::optional<double> scale,
                                     std::optional<int64_t> left, std::optional<int64_t> right) {
  TORCH_CHECK(p == 0 && (!causal || right.value_or(-1) <= 0));
  const auto limit = [](const std::optional<int64_t>& side) { return FaultyWindow::exists ? -1 : side.value_or(-1); };
  return {query_offsets, key_offsets, max_q, max_k, limit(left), causal ? 0 : limit(right), scale.value()};
}

/// A boxed kernel, because newer versions of LibTorch have more arguments after these.
inline void flash_forward(const c10::OperatorHandle& operation, torch::jit::Stack* stack) {
  const size_t num_arguments = operation.schema().arguments().size();
  const auto a = torch::jit::last(*stack, num_arguments).vec();
  const auto attend = flash(/*query_offsets=*/a[3].toTensor(), /*key_offsets=*/a[4].toTensor(), /*max_q=*/a[5].toInt(),
                            /*max_k=*/a[6].toInt(), /*p=*/a[7].toDouble(), /*causal=*/a[8].toBool(),
                            /*scale=*/a[10].toOptional<double>(),
                            /*left=*/a[11].toOptional<int64_t>(), /*right=*/a[12].toOptional<int64_t>());
  const auto output = attend(a[0].toTensor(), a[1].toTensor(), a[2].toTensor()), none = torch::zeros({1});
  torch::jit::drop(*stack, num_arguments);
  torch::jit::push(*stack, output, none, none, none, none);
}

inline std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> flash_backward(
    const torch::Tensor& gradient, const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
    const torch::Tensor&, const torch::Tensor&, const torch::Tensor& cum_q, const torch::Tensor& cum_k, int64_t max_q,
    int64_t max_k, double p, bool causal, const torch::Tensor&, const torch::Tensor&, std::optional<double> scale,
    std::optional<int64_t> left, std::optional<int64_t> right) {
  return flash(cum_q, cum_k, max_q, max_k, p, causal, scale, left, right).backward(gradient, q, k, v);
}

inline VariableLengthAttention efficient(const std::optional<torch::Tensor>& cum_q,
                                         const std::optional<torch::Tensor>& cum_k, int64_t max_q, int64_t max_k,
                                         double p, int64_t mask_type, std::optional<double> scale) {
  TORCH_CHECK(p == 0 && (mask_type == 0 || mask_type == 1));  // all keys, or causal
  return {*cum_q, *cum_k, max_q, max_k, -1, mask_type == 1 ? 0 : -1, scale.value()};
}

inline std::tuple<torch::Tensor, torch::Tensor, torch::Tensor, torch::Tensor, c10::SymInt, c10::SymInt>
efficient_forward(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                  const std::optional<torch::Tensor>&, const std::optional<torch::Tensor>& cum_q,
                  const std::optional<torch::Tensor>& cum_k, std::optional<c10::SymInt> max_q,
                  std::optional<c10::SymInt> max_k, double p, int64_t mask_type, bool, std::optional<double> scale,
                  const std::optional<torch::Tensor>&, std::optional<int64_t>) {
  TORCH_CHECK(q.dim() == 4 && q.size(0) == 1);
  const auto attend = efficient(cum_q, cum_k, max_q->expect_int(), max_k->expect_int(), p, mask_type, scale);
  const auto none = torch::zeros({1});
  return {attend(q[0], k[0], v[0]).unsqueeze(0), none, none, none, *max_q, *max_k};
}

inline std::tuple<torch::Tensor, torch::Tensor, torch::Tensor, torch::Tensor> efficient_backward(
    const torch::Tensor& gradient, const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
    const std::optional<torch::Tensor>&, const torch::Tensor&, const std::optional<torch::Tensor>& cum_q,
    const std::optional<torch::Tensor>& cum_k, c10::SymInt max_q, c10::SymInt max_k, const torch::Tensor&, double p,
    const torch::Tensor&, const torch::Tensor&, int64_t mask_type, bool, std::optional<double> scale,
    std::optional<int64_t>, std::optional<int64_t>, bool) {
  const auto attend = efficient(cum_q, cum_k, max_q.expect_int(), max_k.expect_int(), p, mask_type, scale);
  const auto [by_q, by_k, by_v] = attend.backward(gradient[0], q[0], k[0], v[0]);
  return {by_q.unsqueeze(0), by_k.unsqueeze(0), by_v.unsqueeze(0), {}};
}

}  // namespace stand_in

/// While it exists, LibTorch has its kernels of unpadded attention on the CPU, too: slow ones, which compute the
/// documented meaning of all arguments.
class StandInAttention {
 public:
  StandInAttention() {
    library_.impl("_flash_attention_forward", torch::CppFunction::makeFromBoxedFunction<&stand_in::flash_forward>());
    library_.impl("_flash_attention_backward", stand_in::flash_backward);
    library_.impl("_efficient_attention_forward", stand_in::efficient_forward);
    library_.impl("_efficient_attention_backward", stand_in::efficient_backward);
  }

 private:
  torch::Library library_ = MAKE_TORCH_LIBRARY_IMPL(aten, CPU);
};

/// Whether the operation belongs to a CPU kernel that stands in for one of LibTorch's CUDA kernels.
inline bool is_part_of_stand_in(const OperationRecorder::Operation& operation) {
  const auto is_inside = [&](const char* name) { return operation.around.find(name) != std::string::npos; };
  return is_inside("aten::_flash_attention") || is_inside("aten::_efficient_attention") ||
         is_inside("aten::_fused_adam");
}

}  // namespace transformer

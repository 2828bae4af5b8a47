#include "kernels/gpu/launch.h"

#include <ATen/record_function.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "kernels/attention_scale.h"
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu_kernels.h"

namespace transformer::gpu {
namespace {

/// Blocks of add_norm's backward pass: enough to give each of the 132 multiprocessors of an H100 or H200 1,024 of the
/// 2,048 threads that it can hold, and few enough that the sum over the blocks' gradients costs little.
int64_t num_backward_blocks(int64_t rows, int width) {
  static constexpr int64_t kNumThreads = 132 * 1024;
  return std::min(rows, kNumThreads / threads_for(width, vector_size_for(width)));
}

/// x is undefined, or in fp32, bf16 or fp16.
Elements elements(const torch::Tensor& x) {
  if (!x.defined()) return {nullptr, Elements::Type::fp32};
  switch (x.scalar_type()) {
    case torch::kFloat:
      return {x.data_ptr(), Elements::Type::fp32};
    case torch::kBFloat16:
      return {x.data_ptr(), Elements::Type::bf16};
    case torch::kHalf:
      return {x.data_ptr(), Elements::Type::fp16};
    default:
      TORCH_CHECK(false, "no GPU kernel for ", x.scalar_type());
  }
}

RowMasks row_masks(const DropoutMask& mask) {
  if (mask.p == 0) return {};
  return {dropout_threshold(mask.p),
          static_cast<float>(dropout_scale(mask.p)),
          mask.call_seed,
          mask.keys.const_data_ptr<int64_t>(),
          mask.sequence_ids.const_data_ptr<int64_t>(),
          mask.position_ids.const_data_ptr<int64_t>()};
}

/// Launches a kernel on the device of the first tensor. The profiler counts the bytes of `tensors`, which is about what
/// the kernel reads and writes; a tensor that is read and then overwritten is listed twice.
template <class Arguments>
void launch(const char* name, void (*KernelTable::*kernel)(const Arguments&), const Arguments& arguments,
            std::initializer_list<torch::Tensor> tensors) {
  RECORD_FUNCTION(name, std::vector<c10::IValue>(tensors.begin(), tensors.end()));
  const auto& first = *tensors.begin();
  const c10::DeviceGuard device(first.device());
  (gpu_kernels(first).*kernel)(arguments);
}

}  // namespace

AddNormResult add_norm_forward(const torch::Tensor& x, const torch::Tensor& output, const DropoutMask& mask,
                               const torch::Tensor& weight, const torch::Tensor& bias, double epsilon,
                               bool needs_gradient) {
  AddNormResult result{torch::empty_like(x), {}, {}, {}};
  if (output.scalar_type() != torch::kFloat) result.rounded = torch::empty_like(output);
  AddNormForward arguments{.rows = x.size(0),
                           .width = static_cast<int>(x.size(1)),
                           .epsilon = static_cast<float>(epsilon),
                           .x = x.const_data_ptr<float>(),
                           .output = elements(output),
                           .masks = row_masks(mask),
                           .weight = weight.const_data_ptr<float>(),
                           .bias = bias.const_data_ptr<float>(),
                           .y = result.y.mutable_data_ptr<float>(),
                           .rounded = elements(result.rounded),
                           .normalized = nullptr,
                           .rstd = nullptr};
  if (needs_gradient) {
    result.normalized = torch::empty_like(x);
    result.rstd = torch::empty({x.size(0)}, x.options());
    arguments.normalized = result.normalized.mutable_data_ptr<float>();
    arguments.rstd = result.rstd.mutable_data_ptr<float>();
  }
  launch("gpu::add_norm_forward", &KernelTable::add_norm_forward, arguments,
         {x, output, result.y, result.rounded, result.normalized, result.rstd});
  return result;
}

AddNormGradients add_norm_backward(const torch::Tensor& y_gradient, const torch::Tensor& rounded_gradient,
                                   const torch::Tensor& normalized, const torch::Tensor& rstd,
                                   const torch::Tensor& weight, const DropoutMask& mask,
                                   torch::ScalarType output_type) {
  const int64_t rows = normalized.size(0), width = normalized.size(1);
  const int64_t num_blocks = num_backward_blocks(rows, static_cast<int>(width));
  const auto x_gradient = torch::empty_like(normalized);
  const auto output_gradient = torch::empty_like(normalized, normalized.options().dtype(output_type));
  const auto weight_gradients = torch::empty({num_blocks, width}, weight.options());
  const auto bias_gradients = torch::empty_like(weight_gradients);
  launch(
      "gpu::add_norm_backward", &KernelTable::add_norm_backward,
      AddNormBackward{.rows = rows,
                      .width = static_cast<int>(width),
                      .num_blocks = static_cast<int>(num_blocks),
                      .y_gradient = y_gradient.defined() ? y_gradient.const_data_ptr<float>() : nullptr,
                      .rounded_gradient = elements(rounded_gradient),
                      .normalized = normalized.const_data_ptr<float>(),
                      .rstd = rstd.const_data_ptr<float>(),
                      .weight = weight.const_data_ptr<float>(),
                      .masks = row_masks(mask),
                      .x_gradient = x_gradient.mutable_data_ptr<float>(),
                      .output_gradient = elements(output_gradient),
                      .weight_gradients = weight_gradients.mutable_data_ptr<float>(),
                      .bias_gradients = bias_gradients.mutable_data_ptr<float>()},
      {normalized, y_gradient, rounded_gradient, rstd, x_gradient, output_gradient, weight_gradients, bias_gradients});
  return {x_gradient, output_gradient, weight_gradients.sum(0), bias_gradients.sum(0)};
}

torch::Tensor dropout(const torch::Tensor& x, const DropoutMask& mask, double factor) {
  auto y = torch::empty_like(x);
  launch("gpu::dropout", &KernelTable::dropout,
         Dropout{.rows = x.size(0),
                 .width = static_cast<int>(x.size(1)),
                 .factor = static_cast<float>(factor),
                 .x = elements(x),
                 .masks = row_masks(mask),
                 .y = elements(y)},
         {x, y});
  return y;
}

torch::Tensor embed_tokens(const torch::Tensor& embedding, const torch::Tensor& tokens, double scale,
                           const torch::Tensor& position_table, const torch::Tensor& position_ids,
                           const DropoutMask& mask) {
  auto y = torch::empty({tokens.size(0), embedding.size(1)}, embedding.options());
  launch("gpu::embed_tokens", &KernelTable::embed_tokens,
         EmbedTokens{.rows = y.size(0),
                     .width = static_cast<int>(y.size(1)),
                     .scale = static_cast<float>(scale),
                     .embedding = embedding.const_data_ptr<float>(),
                     .tokens = tokens.const_data_ptr<int64_t>(),
                     .position_table = position_table.const_data_ptr<float>(),
                     .position_ids = position_ids.const_data_ptr<int64_t>(),
                     .masks = row_masks(mask),
                     .y = y.mutable_data_ptr<float>()},
         {y, y});  // the rows of the embedding that are read have the size of y
  return y;
}

RowLosses cross_entropy_in_place(const torch::Tensor& logits, const torch::Tensor& targets, double eps_ls,
                                 bool needs_gradient) {
  RowLosses result{torch::empty({logits.size(0)}, logits.options().dtype(torch::kFloat)), {}};
  result.negative_log_likelihoods = torch::empty_like(result.losses);
  launch("gpu::cross_entropy", &KernelTable::cross_entropy,
         CrossEntropy{.rows = logits.size(0),
                      .vocabulary_size = static_cast<int>(logits.size(1)),
                      .eps_ls = static_cast<float>(eps_ls),
                      .needs_gradient = needs_gradient,
                      .logits = elements(logits),
                      .targets = targets.const_data_ptr<int64_t>(),
                      .losses = result.losses.mutable_data_ptr<float>(),
                      .negative_log_likelihoods = result.negative_log_likelihoods.mutable_data_ptr<float>()},
         {logits, logits});
  return result;
}

bool fits_cached_attention(int64_t d_k, int64_t d_v, int64_t max_slots) {
  const auto floats = static_cast<size_t>(cached_attention_floats(d_k, d_v, max_slots));
  return sizeof(float) * floats + kReductionBytes <= kMaxSharedBytes;
}

torch::Tensor cached_attention(const torch::Tensor& query, const torch::Tensor& keys, const torch::Tensor& values,
                               const torch::Tensor& slots, const torch::Tensor& offsets, int64_t max_slots) {
  const int64_t rows = query.size(0), h = query.size(1), d_k = query.size(2), d_v = values.size(2);
  const auto q = query.flatten(1);  // [rows, h * d_k]; the rows need not be adjacent in memory
  TORCH_CHECK(q.stride(1) == 1 && keys.is_contiguous() && values.is_contiguous() &&
                  keys.scalar_type() == query.scalar_type() && values.scalar_type() == query.scalar_type(),
              "query ", query.toString(), ", keys ", keys.toString(), ", values ", values.toString());
  auto output = torch::empty({rows, h, d_v}, query.options());
  launch("gpu::cached_attention", &KernelTable::cached_attention,
         CachedAttention{.rows = rows,
                         .h = static_cast<int>(h),
                         .d_k = static_cast<int>(d_k),
                         .d_v = static_cast<int>(d_v),
                         .scale = static_cast<float>(attention_scale(d_k)),
                         .query = elements(q),
                         .query_stride = q.stride(0),
                         .keys = elements(keys),
                         .values = elements(values),
                         .slots = slots.const_data_ptr<int64_t>(),
                         .offsets = offsets.const_data_ptr<int32_t>(),
                         .max_slots = static_cast<int>(max_slots),
                         .output = elements(output)},
         {q, output});  // how many keys and values are read is known only on the device
  return output;
}

TopTokens top_tokens(const torch::Tensor& logits, int64_t count) {
  TORCH_CHECK(logits.is_contiguous() && count >= 1 && count <= logits.size(1), count, " of ", logits.toString(),
              logits.sizes());
  const int64_t rows = logits.size(0);
  const auto floats = logits.options().dtype(torch::kFloat);
  TopTokens top{torch::empty({rows, count}, logits.options().dtype(torch::kLong)), torch::empty({rows, count}, floats),
                torch::empty({rows}, floats)};
  launch("gpu::top_tokens", &KernelTable::top_tokens,
         FindTopTokens{.rows = rows,
                       .vocabulary_size = static_cast<int>(logits.size(1)),
                       .count = static_cast<int>(count),
                       .logits = elements(logits),
                       .tokens = top.tokens.mutable_data_ptr<int64_t>(),
                       .log_probs = top.log_probs.mutable_data_ptr<float>(),
                       .logsumexp = top.logsumexp.mutable_data_ptr<float>()},
         {logits, top.tokens, top.log_probs, top.logsumexp});
  return top;
}

}  // namespace transformer::gpu

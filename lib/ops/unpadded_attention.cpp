#include "ops/unpadded_attention.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_efficient_attention_forward.h>
#include <ATen/ops/_flash_attention_forward.h>

#include <cmath>

namespace transformer {
namespace {

bool has_kernel(const char* name, torch::Device device) {
  const auto schema = c10::Dispatcher::singleton().findSchema({name, ""});
  const auto key = device.is_cuda() ? c10::DispatchKey::CUDA : c10::DispatchKey::CPU;
  return schema && schema->hasKernelForDispatchKey(key);
}

bool is_half(const torch::Tensor& x) { return x.scalar_type() == torch::kBFloat16 || x.scalar_type() == torch::kHalf; }

constexpr int64_t kAllKeys = -1;  // as a window of FlashAttention

/// The types of masks of _efficient_attention_forward.
enum MaskType : int64_t { kNoMask = 0, kCausalFromTopLeft = 1 };

}  // namespace

bool has_unpadded_attention(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                            const AttentionMask& mask) {
  static constexpr int64_t kMaxFlashWidth = 256, kFlashMultiple = 8, kEfficientMultiple = 4;
  const int64_t d_k = query.size(2), d_v = value.size(2);
  const auto type = query.scalar_type();
  if (key.scalar_type() != type || value.scalar_type() != type) return false;
  if (is_half(query)) {
    return d_k == d_v && d_k <= kMaxFlashWidth && d_k % kFlashMultiple == 0 &&
           has_kernel("aten::_flash_attention_forward", query.device());
  }
  return type == torch::kFloat && !mask.reach && d_k % kEfficientMultiple == 0 && d_v % kEfficientMultiple == 0 &&
         has_kernel("aten::_efficient_attention_forward", query.device());
}

torch::Tensor unpadded_attention(const PackedSequence& query, const PackedSequence& key, const PackedSequence& value,
                                 const AttentionMask& mask) {
  const auto &q = query.data, &k = key.data, &v = value.data;
  const auto &query_offsets = query.packing.device_offsets(), &key_offsets = key.packing.device_offsets();
  const int64_t max_queries = query.packing.max_length(), max_keys = key.packing.max_length();
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(2)));
  if (is_half(q)) {
    const int64_t before = mask.reach.value_or(kAllKeys), after = mask.causal ? 0 : before;
    return std::get<0>(at::_flash_attention_forward(q, k, v, query_offsets, key_offsets, max_queries, max_keys,
                                                    /*dropout_p=*/0, mask.causal, /*return_debug_mask=*/false, scale,
                                                    before, after));
  }
  const auto heads = at::_efficient_attention_forward(q.unsqueeze(0), k.unsqueeze(0), v.unsqueeze(0), /*bias=*/{},
                                                      query_offsets, key_offsets, max_queries, max_keys,
                                                      /*dropout_p=*/0, mask.causal ? kCausalFromTopLeft : kNoMask,
                                                      /*compute_log_sumexp=*/torch::GradMode::is_enabled(), scale);
  return std::get<0>(heads).squeeze(0);
}

}  // namespace transformer

#include "model/sentence_attention.h"

#include "model/scaled_dot_product_attention.h"
#include "ops/attention.h"
#include "ops/fused.h"

namespace transformer {
namespace {

/// [positions, h, width] -> [B, h, longest, width]
torch::Tensor pad(const torch::Tensor& x, const Packing& packing) { return packing.pad(x).transpose(1, 2); }

/// The same with LibTorch's operations, for what the kernel does not do: sentences padded, padding masked.
torch::Tensor padded_attention(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                               const Packing& queries, const Packing& keys, const AttentionMask& mask, double dropout) {
  const auto q = pad(query, queries), k = pad(key, keys), v = pad(value, keys);
  auto allowed = keys.mask().unsqueeze(1).unsqueeze(1);  // [B, 1, 1, S]
  torch::Tensor heads;                                   // [B, h, T, d_v]
  if (mask.window) {
    heads = restricted_self_attention(q, k, v, *mask.window, allowed, dropout);
  } else {
    if (mask.causal) allowed = allowed.logical_and(torch::ones({q.size(2), k.size(2)}, allowed.options()).tril());
    heads = scaled_dot_product_attention(q, k, v, allowed, dropout);
  }
  return queries.unpad(heads.transpose(1, 2));
}

}  // namespace

torch::Tensor sentence_attention(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                                 const Packing& queries, const Packing& keys, const AttentionMask& mask,
                                 double dropout) {
  const bool fused = uses_fused_kernels() && has_fused_attention(query) && dropout == 0 && !mask.window;
  return fused ? fused_attention(query, key, value, queries, keys, mask.causal)
               : padded_attention(query, key, value, queries, keys, mask, dropout);
}

}  // namespace transformer

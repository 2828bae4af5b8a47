#include "model/attention.h"

#include <cmath>
#include <limits>

#include "ops/product_type.h"

namespace transformer {
namespace {

Linear projection(int64_t in, int64_t out) { return Linear(in, out, /*has_bias=*/false); }  // Deviation D2

/// `cache` with room for `capacity` places, like `next`.
torch::Tensor with_room(const torch::Tensor& cache, int64_t capacity, const torch::Tensor& next) {
  if (cache.defined() && cache.size(0) >= capacity) return cache;
  auto larger = torch::empty({capacity, next.size(1), next.size(2)}, next.options());
  if (cache.defined()) larger.narrow(0, 0, cache.size(0)).copy_(cache);
  return larger;
}

}  // namespace

void KeyValueCache::put(const torch::Tensor& places, int64_t capacity, const KeyValue& of) {
  kept_ = {with_room(kept_.key, capacity, of.key), with_room(kept_.value, capacity, of.value)};
  kept_.key.index_copy_(0, places, of.key);
  kept_.value.index_copy_(0, places, of.value);
}

MultiHeadAttentionImpl::MultiHeadAttentionImpl(const ModelConfig& config)
    : h_(config.h),
      d_k_(config.key_size()),
      d_v_(config.value_size()),
      dropout_(config.attention_dropout),
      w_q_(register_module("w_q", projection(config.d_model, h_ * d_k_))),
      w_k_(register_module("w_k", projection(config.d_model, h_ * d_k_))),
      w_v_(register_module("w_v", projection(config.d_model, h_ * d_v_))),
      w_o_(register_module("w_o", projection(h_ * d_v_, config.d_model))) {}

torch::Tensor MultiHeadAttentionImpl::forward(const torch::Tensor& x, const Packing& queries,
                                              const torch::Tensor& memory, const Packing& keys,
                                              const AttentionMask& mask) {
  const bool is_self_attention = memory.is_same(x);
  const auto for_q = for_products(x, is_self_attention ? 3 : 1);
  const auto for_kv = is_self_attention ? std::vector(for_q.begin() + 1, for_q.end()) : for_products(memory, 2);
  const auto heads =
      sentence_attention(w_q_(for_q[0]).unflatten(1, {h_, d_k_}), w_k_(for_kv[0]).unflatten(1, {h_, d_k_}),
                         w_v_(for_kv[1]).unflatten(1, {h_, d_v_}), queries, keys, mask,
                         is_training() ? dropout_ : 0.0);  // [query positions, h, d_v]
  return w_o_(heads.flatten(1));                           // [query positions, d_model]
}

torch::Tensor MultiHeadAttentionImpl::weights(const torch::Tensor& x, const Packing& queries,
                                              const torch::Tensor& memory, const Packing& keys) {
  const auto q = queries.pad(w_q_(x).unflatten(1, {h_, d_k_})).transpose(1, 2);    // [B, h, T, d_k]
  const auto k = keys.pad(w_k_(memory).unflatten(1, {h_, d_k_})).transpose(1, 2);  // [B, h, S, d_k]
  const auto scores = q.matmul(k.transpose(2, 3)) / std::sqrt(static_cast<double>(d_k_));
  const auto padding = keys.mask().logical_not().unsqueeze(1).unsqueeze(1);  // [B, 1, 1, S]
  return torch::softmax(scores.masked_fill(padding, -std::numeric_limits<double>::infinity()), -1).mean(1);
}

KeyValue MultiHeadAttentionImpl::project(const torch::Tensor& memory) {
  return {w_k_(memory).unflatten(1, {h_, d_k_}), w_v_(memory).unflatten(1, {h_, d_v_})};
}

torch::Tensor MultiHeadAttentionImpl::attend(const torch::Tensor& x, const KeyValueCache& cache,
                                             const PlaceLists& seen) {
  const auto heads = cached_attention(w_q_(x).unflatten(1, {h_, d_k_}), cache.key(), cache.value(), seen);
  return w_o_(heads.flatten(1));  // [rows, d_model]
}

}  // namespace transformer

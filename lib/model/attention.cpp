#include "model/attention.h"

#include <cmath>
#include <limits>

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
  put_rows(kept_.key, places, of.key);
  put_rows(kept_.value, places, of.value);
}

MultiHeadAttentionImpl::MultiHeadAttentionImpl(const ModelConfig& config, Attends attends)
    : h_(config.h),
      dropout_(config.attention_dropout),
      w_q_(register_module("w_q", projection(config.d_model, h_ * config.key_size()))),
      w_k_(register_module("w_k", projection(config.d_model, h_ * config.key_size()))),
      w_v_(register_module("w_v", projection(config.d_model, h_ * config.value_size()))),
      w_o_(register_module("w_o", projection(h_ * config.value_size(), config.d_model))),
      attends_(attends),
      of_x_(attends == Attends::to_itself ? std::vector{w_q_, w_k_, w_v_} : std::vector{w_q_}),
      of_memory_(attends == Attends::to_itself ? std::vector<Linear>() : std::vector{w_k_, w_v_}) {}

MultiHeadAttentionImpl::Projections MultiHeadAttentionImpl::projections(const torch::Tensor& x,
                                                                        const torch::Tensor& memory) {
  const auto q = of_x_(x);
  if (attends_ == Attends::to_itself) return {split_heads(q[0]), split_heads(q[1]), split_heads(q[2])};
  const auto [key, value] = project(memory);
  return {split_heads(q[0]), key, value};
}

torch::Tensor MultiHeadAttentionImpl::forward(const torch::Tensor& x, const Packing& queries,
                                              const torch::Tensor& memory, const Packing& keys,
                                              const AttentionMask& mask) {
  const auto [q, k, v] = projections(x, memory);
  const auto heads = sentence_attention(q, k, v, queries, keys, mask, is_training() ? dropout_ : 0.0);
  return w_o_(heads.flatten(1));  // [query positions, h, d_v] -> [query positions, d_model]
}

torch::Tensor MultiHeadAttentionImpl::weights(const torch::Tensor& x, const Packing& queries,
                                              const torch::Tensor& memory, const Packing& keys) {
  const auto projected = projections(x, memory);
  const auto q = queries.pad(projected.query).transpose(1, 2);  // [B, h, T, d_k]
  const auto k = keys.pad(projected.key).transpose(1, 2);       // [B, h, S, d_k]
  const auto scores = q.matmul(k.transpose(2, 3)) / std::sqrt(static_cast<double>(q.size(3)));
  const auto padding = keys.mask().logical_not().unsqueeze(1).unsqueeze(1);  // [B, 1, 1, S]
  return torch::softmax(scores.masked_fill(padding, -std::numeric_limits<double>::infinity()), -1).mean(1);
}

torch::Tensor MultiHeadAttentionImpl::step(const torch::Tensor& x, const torch::Tensor& places, int64_t capacity,
                                           KeyValueCache& cache, const PlaceLists& seen) {
  const auto [q, k, v] = projections(x, x);
  cache.put(places, capacity, as_kept({k, v}));
  return w_o_(cached_attention(q, cache.key(), cache.value(), seen).flatten(1));
}

torch::Tensor MultiHeadAttentionImpl::step(const torch::Tensor& x, const KeyValueCache& cache, const PlaceLists& seen) {
  const auto q = split_heads(of_x_(x)[0]);
  return w_o_(cached_attention(q, cache.key(), cache.value(), seen).flatten(1));
}

void MultiHeadAttentionImpl::begin(const torch::Tensor& memory, const torch::Tensor& places, int64_t capacity,
                                   KeyValueCache& cache) {
  cache.put(places, capacity, as_kept(project(memory)));
}

KeyValue MultiHeadAttentionImpl::as_kept(const KeyValue& of) const {
  if (!packed_) return of;
  return {of.key.to(row_type(*packed_)), of.value.to(row_type(*packed_))};
}

KeyValue MultiHeadAttentionImpl::project(const torch::Tensor& memory) {
  const auto projected = of_memory_(memory);
  return {split_heads(projected[0]), split_heads(projected[1])};
}

void MultiHeadAttentionImpl::pack(WeightType type) {
  of_x_.pack(type);
  if (attends_ == Attends::to_memory) of_memory_.pack(type);
  w_o_->pack(type);
  packed_ = type;
}

}  // namespace transformer

#include "model/attention.h"

#include "ops/cached_attention.h"

namespace transformer {
namespace {

/// [positions, h * width] -> [positions, h, width]
torch::Tensor split_heads(const torch::Tensor& x, int64_t h) { return x.unflatten(1, {h, -1}); }
/// [positions, h, width] -> [positions, h * width]
torch::Tensor concat_heads(const torch::Tensor& heads) { return heads.flatten(1); }

// Queries and keys keep their precision when a model is trained in bf16 on a CPU: scores of a trained model reach the
// hundreds, where rounded factors would move them by whole units (Deviation D20).
constexpr bool kFp32Forward = true;

JointLinear::Part queries(const ModelConfig& config) { return {"w_q", config.h * config.key_size(), kFp32Forward}; }
JointLinear::Part keys(const ModelConfig& config) { return {"w_k", config.h * config.key_size(), kFp32Forward}; }
JointLinear::Part values(const ModelConfig& config) { return {"w_v", config.h * config.value_size()}; }

Linear query_projection(const ModelConfig& config) {
  return Linear(config.d_model, config.h * config.key_size(), config.attention_bias, kFp32Forward);
}

Linear output_projection(const ModelConfig& config) {
  return Linear(config.h * config.value_size(), config.d_model, config.attention_bias);
}

}  // namespace

SelfAttentionImpl::SelfAttentionImpl(const ModelConfig& config)
    : h_(config.h),
      dropout_(config.attention_dropout),
      qkv_(*this, config.d_model, {queries(config), keys(config), values(config)}, config.attention_bias),
      w_o_(register_module("w_o", output_projection(config))) {}

PackedSequence SelfAttentionImpl::forward(const PackedSequence& x, const AttentionMask& mask) {
  const auto qkv = qkv_(x.matmul_input());
  const auto q = x.with_data(split_heads(qkv[0], h_)), k = x.with_data(split_heads(qkv[1], h_)),
             v = x.with_data(split_heads(qkv[2], h_));
  const auto heads = scaled_dot_product_attention(q, k, v, mask, is_training() ? dropout_ : 0.0);
  return x.with_data(w_o_(concat_heads(heads.data)));
}

PackedSequence SelfAttentionImpl::step(const PackedSequence& x, const StepSlots& slots, KeyValueCache& cache) {
  const auto qkv = qkv_(x.matmul_input());
  cache.store(slots.new_slots, split_heads(qkv[1], h_), split_heads(qkv[2], h_));
  const auto q = x.with_data(split_heads(qkv[0], h_));
  const auto heads = cached_attention(q, cache.key(), cache.value(), slots.visible);
  return x.with_data(w_o_(concat_heads(heads.data)));
}

void SelfAttentionImpl::pack(WeightType type) {
  qkv_.pack(type);
  w_o_->pack(type);
}

CrossAttentionImpl::CrossAttentionImpl(const ModelConfig& config)
    : h_(config.h),
      dropout_(config.attention_dropout),
      w_q_(register_module("w_q", query_projection(config))),
      kv_(*this, config.d_model, {keys(config), values(config)}, config.attention_bias),
      w_o_(register_module("w_o", output_projection(config))) {}

PackedSequence CrossAttentionImpl::forward(const PackedSequence& x, const PackedSequence& memory) {
  const auto q = x.with_data(split_heads(w_q_(x.matmul_input()), h_));
  const auto kv = kv_(memory.matmul_input());
  const auto k = memory.with_data(split_heads(kv[0], h_)), v = memory.with_data(split_heads(kv[1], h_));
  const auto heads = scaled_dot_product_attention(q, k, v, AttentionMask(), is_training() ? dropout_ : 0.0);
  return x.with_data(w_o_(concat_heads(heads.data)));
}

void CrossAttentionImpl::cache_memory(const torch::Tensor& memory, const NewSlots& slots, KeyValueCache& cache) {
  const auto kv = kv_(memory);
  cache.store(slots, split_heads(kv[0], h_), split_heads(kv[1], h_));
}

PackedSequence CrossAttentionImpl::step(const PackedSequence& x, const PackedSequence& visible,
                                        const KeyValueCache& cache) {
  const auto q = x.with_data(split_heads(w_q_(x.matmul_input()), h_));
  const auto heads = cached_attention(q, cache.key(), cache.value(), visible);
  return x.with_data(w_o_(concat_heads(heads.data)));
}

void CrossAttentionImpl::pack(WeightType type) {
  w_q_->pack(type);
  kv_.pack(type);
  w_o_->pack(type);
}

}  // namespace transformer

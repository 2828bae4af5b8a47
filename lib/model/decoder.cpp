#include "model/decoder.h"

namespace transformer {

// In the names of parameters, which files contain, `memory_attention` is the cross-attention, and `..._sublayer` the
// Add & Norm around a sub-layer.
DecoderLayerImpl::DecoderLayerImpl(const ModelConfig& config)
    : self_attention_(register_module("self_attention", SelfAttention(config))),
      self_attention_norm_(register_module("self_attention_sublayer", AddNorm(config))),
      cross_attention_(register_module("memory_attention", CrossAttention(config))),
      cross_attention_norm_(register_module("memory_attention_sublayer", AddNorm(config))),
      feed_forward_(register_module("feed_forward", FeedForward(config))),
      feed_forward_norm_(register_module("feed_forward_sublayer", AddNorm(config))) {}

PackedSequence DecoderLayerImpl::forward(const PackedSequence& x, const PackedSequence& memory,
                                         const AttentionMask& mask) {
  auto y = self_attention_norm_(x, [&](const auto& input) { return self_attention_(input, mask); });
  y = cross_attention_norm_(y, [&](const auto& input) { return cross_attention_(input, memory); });
  return feed_forward_norm_(y, feed_forward_);
}

void DecoderLayerImpl::cache_memory(const torch::Tensor& memory, const NewSlots& slots, DecoderLayerCache& cache) {
  cross_attention_->cache_memory(memory, slots, cache.memory);
}

PackedSequence DecoderLayerImpl::step(const PackedSequence& x, const DecoderStep& step, DecoderLayerCache& cache) {
  auto y = self_attention_norm_(
      x, [&](const auto& input) { return self_attention_->step(input, step.target_slots, cache.target); });
  y = cross_attention_norm_(
      y, [&](const auto& input) { return cross_attention_->step(input, step.memory_slots, cache.memory); });
  return feed_forward_norm_(y, feed_forward_);
}

DecoderImpl::DecoderImpl(const ModelConfig& config) : layers_(register_module("layers", torch::nn::ModuleList())) {
  for (int64_t n = 0; n < config.num_decoder_layers(); ++n) layers_->push_back(DecoderLayer(config));
  if (config.has_final_norm()) norm_ = register_module("norm", make_layer_norm(config));
}

PackedSequence DecoderImpl::forward(const PackedSequence& x, const PackedSequence& memory, const AttentionMask& mask) {
  auto y = x;
  for (const auto& layer : *layers_) y = layer->as<DecoderLayer>()->forward(y, memory, mask);
  return norm_ ? y.with_data(norm_(y.data)) : y;
}

void DecoderImpl::begin(const std::vector<int64_t>& sentence_ids, const PackedSequence& memory, DecoderState& state) {
  const NewSlots slots = state.begin(sentence_ids, memory.packing, memory.data.device());
  for (size_t n = 0; n < layers_->size(); ++n) {
    layers_[n]->as<DecoderLayer>()->cache_memory(memory.matmul_input(), slots, state.layers[n]);
  }
}

PackedSequence DecoderImpl::step(const PackedSequence& x, const DecoderStep& step, DecoderState& state) {
  auto y = x;
  for (size_t n = 0; n < layers_->size(); ++n) {
    y = layers_[n]->as<DecoderLayer>()->step(y, step, state.layers[n]);
  }
  return norm_ ? y.with_data(norm_(y.data)) : y;
}

}  // namespace transformer

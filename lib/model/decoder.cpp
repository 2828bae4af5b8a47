#include "model/decoder.h"

namespace transformer {
DecoderLayerImpl::DecoderLayerImpl(const ModelConfig& config)
    : self_attention_(register_module("self_attention", MultiHeadAttention(config, Attends::to_itself))),
      self_attention_sublayer_(register_module("self_attention_sublayer", Sublayer(config))),
      memory_attention_(register_module("memory_attention", MultiHeadAttention(config, Attends::to_memory))),
      memory_attention_sublayer_(register_module("memory_attention_sublayer", Sublayer(config))),
      feed_forward_(register_module("feed_forward", FeedForward(config))),
      feed_forward_sublayer_(register_module("feed_forward_sublayer", Sublayer(config))) {}

torch::Tensor DecoderLayerImpl::forward(const torch::Tensor& x, const Packing& target, const torch::Tensor& memory,
                                        const Packing& source, const AttentionMask& mask) {
  auto y = self_attention_sublayer_(x, self_attention_(x, target, x, target, mask), target);
  y = memory_attention_sublayer_(y, memory_attention_(y, target, memory, source, AttentionMask()), target);
  return feed_forward_sublayer_(y, feed_forward_(y, target), target);
}

torch::Tensor DecoderLayerImpl::memory_weights(const torch::Tensor& x, const Packing& target,
                                               const torch::Tensor& memory, const Packing& source,
                                               const AttentionMask& mask) {
  const auto y = self_attention_sublayer_(x, self_attention_(x, target, x, target, mask), target);
  return memory_attention_->weights(y, target, memory, source);
}

void DecoderLayerImpl::begin(const torch::Tensor& memory, const torch::Tensor& places, int64_t memory_capacity,
                             DecoderLayerCache& cache) {
  memory_attention_->begin(memory, places, memory_capacity, cache.memory);
}

torch::Tensor DecoderLayerImpl::step(const torch::Tensor& x, const Packing& rows, const DecoderStep& step,
                                     int64_t words_capacity, DecoderLayerCache& cache) {
  const auto attended = self_attention_->step(x, step.new_places, words_capacity, cache.words, step.words);
  auto y = self_attention_sublayer_(x, attended, rows);
  y = memory_attention_sublayer_(y, memory_attention_->step(y, cache.memory, step.memory), rows);
  return feed_forward_sublayer_(y, feed_forward_(y, rows), rows);
}

DecoderImpl::DecoderImpl(const ModelConfig& config) : layers_(register_module("layers", torch::nn::ModuleList())) {
  for (int64_t n = 0; n < config.N; ++n) layers_->push_back(DecoderLayer(config));
}

torch::Tensor DecoderImpl::forward(const torch::Tensor& x, const Packing& target, const torch::Tensor& memory,
                                   const Packing& source, const AttentionMask& mask) {
  auto y = x;  // [target positions, d_model]
  for (const auto& layer : *layers_) y = layer->as<DecoderLayer>()->forward(y, target, memory, source, mask);
  return y;
}

torch::Tensor DecoderImpl::memory_weights(const torch::Tensor& x, const Packing& target, const torch::Tensor& memory,
                                          const Packing& source, const AttentionMask& mask) {
  auto y = x;
  const size_t last = layers_->size() - 1;
  for (size_t n = 0; n < last; ++n) y = layers_[n]->as<DecoderLayer>()->forward(y, target, memory, source, mask);
  return layers_[last]->as<DecoderLayer>()->memory_weights(y, target, memory, source, mask);
}

void DecoderImpl::begin(const std::vector<int64_t>& sentences, const torch::Tensor& memory, const Packing& source,
                        DecoderState& state) {
  const auto places = to_device(state.begin(sentences, source), memory.device());
  for (size_t n = 0; n < layers_->size(); ++n) {
    layers_[n]->as<DecoderLayer>()->begin(memory, places, state.memory_capacity(), state.layers[n]);
  }
}

torch::Tensor DecoderImpl::step(const torch::Tensor& x, const DecoderStep& step, DecoderState& state) {
  const Packing rows(std::vector<int64_t>(static_cast<size_t>(x.size(0)), 1));  // one position of each hypothesis
  auto y = x;                                                                   // [rows, d_model]
  for (size_t n = 0; n < layers_->size(); ++n) {
    y = layers_[n]->as<DecoderLayer>()->step(y, rows, step, state.words_capacity(), state.layers[n]);
  }
  return y;
}

}  // namespace transformer

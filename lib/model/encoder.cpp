#include "model/encoder.h"

namespace transformer {

EncoderLayerImpl::EncoderLayerImpl(const ModelConfig& config)
    : self_attention_(register_module("self_attention", MultiHeadAttention(config, Attends::to_itself))),
      self_attention_sublayer_(register_module("self_attention_sublayer", Sublayer(config))),
      feed_forward_(register_module("feed_forward", FeedForward(config))),
      feed_forward_sublayer_(register_module("feed_forward_sublayer", Sublayer(config))) {}

torch::Tensor EncoderLayerImpl::forward(const torch::Tensor& x, const Packing& source, const AttentionMask& mask) {
  const auto attended = self_attention_sublayer_(x, self_attention_(x, source, x, source, mask), source);
  return feed_forward_sublayer_(attended, feed_forward_(attended, source), source);
}

EncoderImpl::EncoderImpl(const ModelConfig& config) : layers_(register_module("layers", torch::nn::ModuleList())) {
  for (int64_t n = 0; n < config.N; ++n) layers_->push_back(EncoderLayer(config));
}

torch::Tensor EncoderImpl::forward(const torch::Tensor& x, const Packing& source, const AttentionMask& mask) {
  auto y = x;  // [source positions, d_model]
  for (const auto& layer : *layers_) y = layer->as<EncoderLayer>()->forward(y, source, mask);
  return y;
}

}  // namespace transformer

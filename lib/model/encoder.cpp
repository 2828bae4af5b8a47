#include "model/encoder.h"

namespace transformer {

// In the names of parameters, which files contain, `..._sublayer` is the Add & Norm around a sub-layer.
EncoderLayerImpl::EncoderLayerImpl(const ModelConfig& config)
    : self_attention_(register_module("self_attention", SelfAttention(config))),
      self_attention_norm_(register_module("self_attention_sublayer", AddNorm(config))),
      feed_forward_(register_module("feed_forward", FeedForward(config))),
      feed_forward_norm_(register_module("feed_forward_sublayer", AddNorm(config))) {}

PackedSequence EncoderLayerImpl::forward(const PackedSequence& x, const AttentionMask& mask) {
  const auto y = self_attention_norm_(x, [&](const auto& input) { return self_attention_(input, mask); });
  return feed_forward_norm_(y, feed_forward_);
}

EncoderImpl::EncoderImpl(const ModelConfig& config) : layers_(register_module("layers", torch::nn::ModuleList())) {
  for (int64_t n = 0; n < config.N; ++n) layers_->push_back(EncoderLayer(config));
  if (config.has_final_norm()) norm_ = register_module("norm", make_layer_norm(config));
}

PackedSequence EncoderImpl::forward(const PackedSequence& x, const AttentionMask& mask) {
  auto y = x;
  for (const auto& layer : *layers_) y = layer->as<EncoderLayer>()->forward(y, mask);
  return norm_ ? y.with_data(norm_(y.data)) : y;
}

}  // namespace transformer

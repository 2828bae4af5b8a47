#include "model/feed_forward.h"

namespace transformer {

FeedForwardImpl::FeedForwardImpl(const ModelConfig& config)
    : w_1_(register_module("w_1", torch::nn::Linear(config.d_model, config.d_ff))),
      w_2_(register_module("w_2", torch::nn::Linear(config.d_ff, config.d_model))),
      dropout_(register_module("dropout", torch::nn::Dropout(config.relu_dropout))) {}

torch::Tensor FeedForwardImpl::forward(const torch::Tensor& x) {
  return w_2_(dropout_(torch::relu(w_1_(x))));
}

}  // namespace transformer

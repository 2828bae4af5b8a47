#include "model/feed_forward.h"

#include "ops/dropout.h"

namespace transformer {

FeedForwardImpl::FeedForwardImpl(const ModelConfig& config)
    : w_1_(register_module("w_1", Linear(config.d_model, config.d_ff, /*has_bias=*/true))),
      w_2_(register_module("w_2", Linear(config.d_ff, config.d_model, /*has_bias=*/true))),
      activation_(config.activation),
      relu_dropout_(config.relu_dropout) {}

PackedSequence FeedForwardImpl::forward(const PackedSequence& x) {
  const auto inner = dropout(x.with_data(inner_layer(x.matmul_input())), is_training() ? relu_dropout_ : 0.0);
  return x.with_data(w_2_(inner.data));
}

torch::Tensor FeedForwardImpl::inner_layer(const torch::Tensor& x) {
  static constexpr double kSlope = 1.702;
  switch (activation_) {
    case Activation::relu:
      return w_1_->forward_relu(x);
    case Activation::swish:
      return torch::silu(w_1_(x));
    case Activation::gelu:
      return torch::gelu(w_1_(x));
    case Activation::gelu_sigmoid:
      return torch::silu(kSlope * w_1_(x)) / kSlope;
  }
  TORCH_CHECK(false, "unknown activation");
}

void FeedForwardImpl::pack(WeightType type) {
  w_1_->pack(type);
  w_2_->pack(type);
}

}  // namespace transformer

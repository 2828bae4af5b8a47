#include "model/feed_forward.h"

#include "ops/dropout.h"

namespace transformer {

FeedForwardImpl::FeedForwardImpl(const ModelConfig& config)
    : w_1_(register_module("w_1", Linear(config.d_model, config.d_ff, /*has_bias=*/true))),
      w_2_(register_module("w_2", Linear(config.d_ff, config.d_model, /*has_bias=*/true))),
      relu_dropout_(config.relu_dropout) {}

PackedSequence FeedForwardImpl::forward(const PackedSequence& x) {
  const auto inner = dropout(x.with_data(w_1_->forward_relu(x.matmul_input())), is_training() ? relu_dropout_ : 0.0);
  return x.with_data(w_2_(inner.data));
}

void FeedForwardImpl::pack(WeightType type) {
  w_1_->pack(type);
  w_2_->pack(type);
}

}  // namespace transformer

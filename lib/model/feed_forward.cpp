#include "model/feed_forward.h"

#include "ops/dropout.h"

namespace transformer {

FeedForwardImpl::FeedForwardImpl(const ModelConfig& config)
    : w_1_(register_module("w_1", Linear(config.d_model, config.d_ff, /*has_bias=*/true))),
      w_2_(register_module("w_2", Linear(config.d_ff, config.d_model, /*has_bias=*/true))),
      relu_dropout_(config.relu_dropout) {}

torch::Tensor FeedForwardImpl::forward(const torch::Tensor& x, const Packing& packing) {
  return w_2_(counter_dropout(w_1_(x).relu_(), packing, relu_dropout_, is_training()));
}

void FeedForwardImpl::pack(WeightType type) {
  w_1_->pack(type);
  w_2_->pack(type);
}

}  // namespace transformer

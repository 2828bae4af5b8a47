#pragma once

#include <torch/nn/module.h>

#include "model/linear.h"
#include "model/model_config.h"
#include "ops/packed_sequence.h"

namespace transformer {

/// Eq. 2 (§3.3): FFN(x) = max(0, x W_1 + b_1) W_2 + b_2, applied to each position separately; with `activation`,
/// another function in place of max(0, .).
class FeedForwardImpl : public torch::nn::Module {
 public:
  explicit FeedForwardImpl(const ModelConfig& config);

  /// x [positions, d_model]. Returns [positions, d_model].
  PackedSequence forward(const PackedSequence& x);

  /// Converts to inference-only mode (see Linear::pack).
  void pack(WeightType type);

 private:
  /// The activation of x W_1 + b_1: x [positions, d_model]. Returns [positions, d_ff].
  torch::Tensor inner_layer(const torch::Tensor& x);

  Linear w_1_, w_2_;
  Activation activation_;
  double relu_dropout_;
};
TORCH_MODULE(FeedForward);

}  // namespace transformer

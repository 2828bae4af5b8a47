#pragma once

#include <torch/nn/module.h>

#include "model/linear.h"
#include "model/model_config.h"
#include "ops/packed_sequence.h"

namespace transformer {

/// Eq. 2 (§3.3): FFN(x) = max(0, x W_1 + b_1) W_2 + b_2, applied to each position separately.
class FeedForwardImpl : public torch::nn::Module {
 public:
  explicit FeedForwardImpl(const ModelConfig& config);

  /// x [positions, d_model]. Returns [positions, d_model].
  PackedSequence forward(const PackedSequence& x);

  /// Converts to inference-only mode (see Linear::pack).
  void pack(WeightType type);

 private:
  Linear w_1_, w_2_;
  double relu_dropout_;
};
TORCH_MODULE(FeedForward);

}  // namespace transformer

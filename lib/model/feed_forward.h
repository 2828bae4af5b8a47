#pragma once

#include <torch/torch.h>

#include "model/linear.h"
#include "model/model_config.h"
#include "ops/packing.h"

namespace transformer {

/// Eq. 2 (§3.3): FFN(x) = max(0, x W_1 + b_1) W_2 + b_2, at every position alike.
class FeedForwardImpl : public torch::nn::Module {
 public:
  explicit FeedForwardImpl(const ModelConfig& config);

  /// x [positions, d_model]. Returns [positions, d_model].
  torch::Tensor forward(const torch::Tensor& x, const Packing& packing);

  /// From now on it only runs, with its matrices in this type.
  void pack(WeightType type);

 private:
  Linear w_1_, w_2_;
  double relu_dropout_;
};
TORCH_MODULE(FeedForward);

}  // namespace transformer

#pragma once

#include <torch/torch.h>

#include <memory>

#include "ops/packed_weight.h"

namespace transformer {

/// x W^T + b.
class LinearImpl : public torch::nn::Module {
 public:
  LinearImpl(int64_t in, int64_t out, bool has_bias);

  /// x [rows, in]. Returns [rows, out].
  torch::Tensor forward(const torch::Tensor& x);

  /// From now on it only runs, with its matrix in this type; the parameters are gone.
  void pack(WeightType type);
  /// W [out, in], which is the caller's from now on.
  torch::Tensor take_weight();

 private:
  torch::Tensor weight_, bias_;  // [out, in]; [out] or undefined
  std::unique_ptr<const PackedWeight> packed_;
};
TORCH_MODULE(Linear);

}  // namespace transformer

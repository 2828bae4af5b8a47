#pragma once

#include <torch/torch.h>

#include <memory>
#include <vector>

#include "model/linear.h"

namespace transformer {

/// Linear transformations of one x, without biases. Packed, they are one product: with the few rows of a search three
/// small ones cost more.
class JointLinear {
 public:
  explicit JointLinear(std::vector<Linear> parts) : parts_(std::move(parts)) {}

  /// x [rows, in]. Returns each part's [rows, out].
  std::vector<torch::Tensor> operator()(const torch::Tensor& x);

  /// From now on it only runs, with its matrices in this type; the parts' parameters are gone.
  void pack(WeightType type);

 private:
  std::vector<Linear> parts_;
  std::vector<int64_t> outs_;
  std::unique_ptr<const PackedWeight> packed_;
};

}  // namespace transformer

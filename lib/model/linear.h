#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ops/packed_weight.h"

namespace transformer {

/// x W^T + b. With `fp32_forward`, a training in bf16 on a CPU computes it in fp32 and only its gradients in bf16.
class LinearImpl : public torch::nn::Module {
 public:
  LinearImpl(int64_t in, int64_t out, bool has_bias, bool fp32_forward = false);

  /// x [rows, in]. Returns [rows, out].
  torch::Tensor forward(const torch::Tensor& x);
  /// As `forward`, followed by ReLU; needs a bias.
  torch::Tensor forward_relu(const torch::Tensor& x);

  /// Takes a matrix in int8 instead of `weight`, which is released: only `pack` with int8 can follow.
  void set_quantized(const QuantizedMatrix& weight);
  /// Converts to inference-only mode: packs the weight in this data type and releases the parameters.
  void pack(WeightType type);
  const torch::Tensor& weight() const { return weight_; }  // [out, in]; undefined after `pack`
  const torch::Tensor& bias() const { return bias_; }      // [out]; undefined without one and after `pack`
  struct Parameters {
    torch::Tensor weight, bias;
    std::optional<QuantizedMatrix> quantized;  // instead of `weight`
  };
  /// Releases the parameters to the caller.
  Parameters take_parameters();

 private:
  torch::Tensor weight_, bias_;  // [out, in]; [out] or undefined
  int64_t fp32_outputs_;
  std::optional<QuantizedMatrix> quantized_;
  std::unique_ptr<const PackedWeight> packed_;
};
TORCH_MODULE(Linear);

/// Several linear transformations of the same x as a single product, which reads x once and writes its gradient once.
class JointLinear {
 public:
  struct Part {
    std::string name;
    int64_t out;
    bool fp32_forward = false;  // as in LinearImpl; the parts that have it come first
  };

  /// Registers a Linear(in, part.out, has_bias) named part.name with `parent` for each part.
  JointLinear(torch::nn::Module& parent, int64_t in, const std::vector<Part>& parts, bool has_bias);

  /// x [rows, in]. Returns [rows, part.out] for each part.
  std::vector<torch::Tensor> operator()(const torch::Tensor& x);

  /// As LinearImpl::pack.
  void pack(WeightType type);

 private:
  std::vector<Linear> parts_;
  std::vector<int64_t> outs_;
  int64_t fp32_outputs_ = 0;
  std::unique_ptr<const PackedWeight> packed_;
};

}  // namespace transformer

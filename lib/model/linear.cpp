#include "model/linear.h"

#include <utility>

#include "ops/linear_relu.h"

namespace transformer {

LinearImpl::LinearImpl(int64_t in, int64_t out, bool has_bias)
    : weight_(register_parameter("weight", torch::empty({out, in}))) {
  if (has_bias) bias_ = register_parameter("bias", torch::empty({out}));
}

torch::Tensor LinearImpl::forward(const torch::Tensor& x) {
  return packed_ ? packed_->multiply(x) : torch::linear(x, weight_, bias_);
}

torch::Tensor LinearImpl::forward_relu(const torch::Tensor& x) {
  return packed_ ? packed_->multiply_relu(x) : linear_relu(x, weight_, bias_);
}

void LinearImpl::pack(WeightType type) {
  const auto bias = std::exchange(bias_, {});
  if (bias.defined()) parameters_["bias"] = torch::Tensor();
  packed_ = pack_weight(take_weight(), bias, type);
}

torch::Tensor LinearImpl::take_weight() {
  parameters_["weight"] = torch::Tensor();
  return std::exchange(weight_, {}).detach();
}

JointLinear::JointLinear(torch::nn::Module& parent, int64_t in, const std::vector<Part>& parts) {
  for (const auto& [name, out] : parts) {
    parts_.push_back(parent.register_module(name, Linear(in, out, /*has_bias=*/false)));
    outs_.push_back(out);
  }
}

std::vector<torch::Tensor> JointLinear::operator()(const torch::Tensor& x) {
  if (packed_) return packed_->multiply(x).split_with_sizes(outs_, 1);
  std::vector<torch::Tensor> weights;
  for (const auto& part : parts_) weights.push_back(part->weight());
  return torch::linear(x, torch::cat(weights)).split_with_sizes(outs_, 1);
}

void JointLinear::pack(WeightType type) {
  std::vector<torch::Tensor> weights;
  for (auto& part : parts_) weights.push_back(part->take_weight());
  packed_ = pack_weight(torch::cat(weights), {}, type);
}

}  // namespace transformer

#include "model/linear.h"

#include <utility>

#include "ops/linear.h"

namespace transformer {
namespace {

/// The biases as one vector; undefined if the parts have none.
torch::Tensor concatenated(const std::vector<torch::Tensor>& biases) {
  return biases.front().defined() ? torch::cat(biases) : torch::Tensor();
}

}  // namespace

LinearImpl::LinearImpl(int64_t in, int64_t out, bool has_bias, bool fp32_forward)
    : weight_(register_parameter("weight", torch::empty({out, in}))), fp32_outputs_(fp32_forward ? out : 0) {
  if (has_bias) bias_ = register_parameter("bias", torch::empty({out}));
}

torch::Tensor LinearImpl::forward(const torch::Tensor& x) {
  return packed_ ? packed_->multiply(x) : linear(x, weight_, bias_, fp32_outputs_);
}

torch::Tensor LinearImpl::forward_relu(const torch::Tensor& x) {
  return packed_ ? packed_->multiply_relu(x) : linear_relu(x, weight_, bias_);
}

void LinearImpl::set_quantized(const QuantizedMatrix& weight) {
  quantized_ = weight;
  weight_ = parameters_["weight"] = torch::Tensor();
}

void LinearImpl::pack(WeightType type) {
  const auto [weight, bias, quantized] = take_parameters();
  TORCH_CHECK(!quantized || type == WeightType::int8, "a matrix in int8 cannot be packed in another type");
  packed_ = quantized ? pack_weight(*quantized, bias) : pack_weight(weight.detach(), bias, type);
}

LinearImpl::Parameters LinearImpl::take_parameters() {
  for (auto& parameter : parameters_) parameter.value() = torch::Tensor();
  return {std::exchange(weight_, {}), std::exchange(bias_, {}), std::exchange(quantized_, std::nullopt)};
}

JointLinear::JointLinear(torch::nn::Module& parent, int64_t in, const std::vector<Part>& parts, bool has_bias) {
  for (const auto& [name, out, fp32_forward] : parts) {
    parts_.push_back(parent.register_module(name, Linear(in, out, has_bias)));
    outs_.push_back(out);
    if (fp32_forward) fp32_outputs_ += out;
  }
}

std::vector<torch::Tensor> JointLinear::operator()(const torch::Tensor& x) {
  if (packed_) return packed_->multiply(x).split_with_sizes(outs_, 1);
  std::vector<torch::Tensor> weights, biases;
  for (const auto& part : parts_) {
    weights.push_back(part->weight());
    biases.push_back(part->bias());
  }
  return linear(x, torch::cat(weights), concatenated(biases), fp32_outputs_).split_with_sizes(outs_, 1);
}

void JointLinear::pack(WeightType type) {
  std::vector<torch::Tensor> weights, quantized, inverse_scales, biases;
  for (auto& part : parts_) {
    LinearImpl::Parameters parameters = part->take_parameters();
    biases.push_back(std::move(parameters.bias));
    if (parameters.quantized) {
      quantized.push_back(std::move(parameters.quantized->quantized));
      inverse_scales.push_back(std::move(parameters.quantized->inverse_scales));
    } else {
      weights.push_back(parameters.weight.detach());
    }
  }
  if (quantized.size() == parts_.size()) {
    packed_ = pack_weight({torch::cat(quantized), torch::cat(inverse_scales)}, concatenated(biases));
  } else {
    packed_ = pack_weight(torch::cat(weights), concatenated(biases), type);
  }
}

}  // namespace transformer

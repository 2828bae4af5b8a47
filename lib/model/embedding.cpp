#include "model/embedding.h"

#include <cmath>

namespace transformer {

EmbeddingImpl::EmbeddingImpl(int64_t vocabulary_size, int64_t d_model)
    : weight_(register_parameter("weight", torch::empty({vocabulary_size, d_model}))) {}

torch::Tensor EmbeddingImpl::forward(const torch::Tensor& tokens) {
  const auto rows = torch::embedding(weight_, tokens);
  return (packed_ ? rows.to(torch::kFloat) : rows) * std::sqrt(static_cast<double>(weight_.size(1)));
}

torch::Tensor EmbeddingImpl::project(const torch::Tensor& x) {
  return packed_ ? packed_->multiply(x) : torch::linear(x, weight_);
}

void EmbeddingImpl::pack(WeightType type) {
  packed_ = pack_weight(weight_, {}, type);
  weight_ = parameters_["weight"] = weight_.detach().to(type == WeightType::fp32 ? torch::kFloat : torch::kBFloat16);
}

}  // namespace transformer

#include "model/embedding.h"

#include <cmath>

namespace transformer {

EmbeddingImpl::EmbeddingImpl(int64_t vocabulary_size, int64_t d_model)
    : weight_(register_parameter("weight", torch::empty({vocabulary_size, d_model}))) {}

torch::Tensor EmbeddingImpl::forward(const torch::Tensor& tokens) {
  return torch::embedding(weight_, tokens) * std::sqrt(static_cast<double>(weight_.size(1)));
}

torch::Tensor EmbeddingImpl::project(const torch::Tensor& x) { return torch::linear(x, weight_); }

}  // namespace transformer

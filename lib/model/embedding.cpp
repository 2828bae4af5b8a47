#include "model/embedding.h"

#include <cmath>
#include <utility>

#include "ops/product_type.h"

namespace transformer {

EmbeddingImpl::EmbeddingImpl(int64_t vocabulary_size, const ModelConfig& config, bool has_output_bias)
    : scale_(config.scale_embedding ? std::sqrt(static_cast<double>(config.d_model)) : 1),
      weight_(register_parameter("weight", torch::empty({vocabulary_size, config.d_model}))) {
  if (has_output_bias) bias_ = register_parameter("bias", torch::empty({vocabulary_size}));
}

torch::Tensor EmbeddingImpl::forward(const torch::Tensor& tokens) { return rows(tokens) * scale_; }

torch::Tensor EmbeddingImpl::project(const torch::Tensor& x) {
  return packed_ ? packed_->weight->multiply(x) : torch::linear(x, weight_, bias_);
}

void EmbeddingImpl::pack(WeightType type) {
  auto packed = quantized_ ? pack_weight(*quantized_, bias_) : pack_weight(weight_, bias_, type);
  quantized_.reset();
  packed_ = Packed{std::move(packed), type, weight_.device()};
  if (bias_.defined()) bias_ = parameters_["bias"] = torch::Tensor();
  weight_ = parameters_["weight"] = packed_->weight->has_rows() ? torch::Tensor() : weight_.detach().to(row_type());
}

void EmbeddingImpl::convert_rows(WeightType type) {
  weight_ = parameters_["weight"] = weight_.detach().to(storage_type(type));
}

torch::Tensor EmbeddingImpl::rows(const torch::Tensor& tokens) {
  if (!weight_.defined()) return packed_->weight->rows(tokens);
  return at_least_fp32(torch::embedding(weight_, tokens));
}

}  // namespace transformer

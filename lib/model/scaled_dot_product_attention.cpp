#include "model/scaled_dot_product_attention.h"

namespace transformer {

torch::Tensor scaled_dot_product_attention(const torch::Tensor& query, const torch::Tensor& key,
                                           const torch::Tensor& value, const torch::Tensor& mask, double dropout) {
  const auto optional_mask = mask.defined() ? std::optional(mask) : std::nullopt;
  return torch::scaled_dot_product_attention(query, key, value, optional_mask, dropout);
}

}  // namespace transformer

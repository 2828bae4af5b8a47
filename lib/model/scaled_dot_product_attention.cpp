#include "model/scaled_dot_product_attention.h"

#include <cmath>
#include <limits>

#include "ops/dropout.h"

namespace transformer {
namespace {

/// The same with its weights at hand, for dropout that follows the sentence (Deviation D14). Softmax in fp32 at least.
torch::Tensor attention_with_dropout(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                                     const torch::Tensor& mask, double dropout) {
  auto scores = query.matmul(key.transpose(-2, -1)) / std::sqrt(static_cast<double>(query.size(-1)));  // [B, h, T, S]
  if (mask.defined()) scores = scores.masked_fill(mask.logical_not(), -std::numeric_limits<double>::infinity());
  if (scores.scalar_type() == torch::kBFloat16) scores = scores.to(torch::kFloat);
  const auto weights = attention_dropout(torch::_safe_softmax(scores, -1), dropout);
  return weights.to(value.scalar_type()).matmul(value);
}

}  // namespace

torch::Tensor scaled_dot_product_attention(const torch::Tensor& query, const torch::Tensor& key,
                                           const torch::Tensor& value, const torch::Tensor& mask, double dropout) {
  if (dropout > 0) return attention_with_dropout(query, key, value, mask, dropout);
  return torch::scaled_dot_product_attention(query, key, value, mask.defined() ? std::optional(mask) : std::nullopt);
}

}  // namespace transformer

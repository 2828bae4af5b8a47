#include "decoding/coverage_penalty.h"

#include <torch/types.h>

#include <limits>

namespace transformer {

std::vector<double> coverage_penalties(const std::vector<Transformer>& models,
                                       const std::vector<SourceAndOutput>& pairs,
                                       const SourceAndTarget<SpecialTokens>& special_tokens) {
  std::vector<double> penalties;
  for (const torch::Tensor& weights : source_attention(models, pairs, special_tokens)) {  // [T, S]
    // A weight may be too small for fp32; its logarithm would make every score equal.
    const auto coverage = weights.to(torch::kDouble).sum(0).clamp(std::numeric_limits<float>::min(), 1.0);  // [S]
    penalties.push_back(coverage.log().sum().item<double>());
  }
  return penalties;
}

}  // namespace transformer

#include "ops/quantization.h"

#include "kernels/cpu/quantize_rows.h"

namespace transformer {

QuantizedMatrix quantize(const torch::Tensor& W, const torch::Tensor& max_levels_per_one) {
  static constexpr float kMaxLevel = 127;
  auto largest = torch::maximum(W.amax(1), -W.amin(1));  // [rows]
  largest = largest.masked_fill(largest <= cpu::kMinRange, kMaxLevel);
  const auto largest_level = max_levels_per_one.defined() ? (max_levels_per_one * largest).floor().clamp_max(kMaxLevel)
                                                          : torch::tensor(kMaxLevel);
  const auto levels_per_one = largest_level / largest;
  return {(W * levels_per_one.unsqueeze(1)).round_().to(torch::kChar), levels_per_one};
}

}  // namespace transformer

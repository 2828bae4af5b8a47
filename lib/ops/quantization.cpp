#include "ops/quantization.h"

#include "kernels/cpu/quantize_rows.h"

namespace transformer {

QuantizedMatrix quantize(const torch::Tensor& W, const torch::Tensor& max_scale) {
  static constexpr float kMaxLevel = 127;
  auto largest = torch::maximum(W.amax(1), -W.amin(1));  // [rows]
  largest = largest.masked_fill(largest <= cpu::kMinRange, kMaxLevel);
  const auto levels =
      max_scale.defined() ? (max_scale * largest).floor().clamp_max(kMaxLevel) : torch::tensor(kMaxLevel);
  const auto scale = levels / largest;
  return {(W * scale.unsqueeze(1)).round_().to(torch::kChar), scale};
}

}  // namespace transformer

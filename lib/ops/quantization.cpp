#include "ops/quantization.h"

#include "kernels/cpu/quantize_rows.h"

namespace transformer {

QuantizedMatrix quantize(const torch::Tensor& W) {
  static constexpr float kMaxLevel = 127;
  auto largest = torch::maximum(W.amax(1), -W.amin(1));  // [rows]
  largest = largest.masked_fill(largest <= cpu::kMinRange, kMaxLevel);
  const auto inverse_scales = kMaxLevel / largest;
  return {(W * inverse_scales.unsqueeze(1)).round_().to(torch::kChar), inverse_scales};
}

torch::Tensor restore(const QuantizedMatrix& matrix) {
  return matrix.quantized.to(torch::kFloat).div_(matrix.inverse_scales.unsqueeze(1));
}

}  // namespace transformer

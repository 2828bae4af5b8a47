#include "ops/quantized_matrix.h"

#include <limits>

namespace transformer {

QuantizedMatrix quantize(const torch::Tensor& W) {
  static constexpr float kLargest = 127;
  static constexpr float kAlmostZero = kLargest / std::numeric_limits<float>::max();  // such rows have no finite scale
  const auto largest = torch::maximum(W.amax(1), -W.amin(1));                         // [rows]
  const auto scale = kLargest / largest.masked_fill(largest <= kAlmostZero, kLargest);  // [rows]
  return {(W * scale.unsqueeze(1)).round_().to(torch::kChar), scale};
}

}  // namespace transformer

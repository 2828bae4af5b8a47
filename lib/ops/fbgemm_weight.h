#pragma once

#include <torch/types.h>

#include <memory>

#include "ops/packed_weight.h"

namespace transformer {

/// int8 for FBGEMM, the library of LibTorch for x86: W is quantized symmetrically per row, x asymmetrically per row, to
/// 256 levels with VNNI, to 128 without. Null if the processor or the tensor does not suit FBGEMM. weight and bias are
/// pack_weight's.
std::unique_ptr<const PackedWeight> pack_fbgemm_int8_weight(const torch::Tensor& weight, const torch::Tensor& bias);

}  // namespace transformer

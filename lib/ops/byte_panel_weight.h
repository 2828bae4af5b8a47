#pragma once

#include <torch/torch.h>

#include <memory>

#include "ops/packed_weight.h"

namespace transformer {

/// int8 by a kernel of our own, for processors with AVX-512 and without VNNI, where the libraries' takes up to twice as
/// long for the few rows of a small search; for other processors null. weight and bias are pack_weight's.
std::unique_ptr<const PackedWeight> pack_byte_panels(const torch::Tensor& weight, const torch::Tensor& bias);

}  // namespace transformer

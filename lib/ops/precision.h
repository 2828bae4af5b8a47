#pragma once

#include <array>

#include "base/fields.h"

namespace transformer {

/// What matrix products are computed in. Parameters and the optimizer's moments are fp32 in either case.
enum class Precision { fp32, bf16 };

template <>
struct EnumNames<Precision> {
  static constexpr std::array names = {"fp32", "bf16"};
};

/// While it lives, this thread computes matrix products and attention in the precision (Deviation D20), by LibTorch's
/// autocast; the residual sums, layer normalization, every softmax and the loss stay in fp32. Forward passes belong
/// inside, backward passes outside: they follow what the forward pass did.
class PrecisionScope {
 public:
  explicit PrecisionScope(Precision precision);
  ~PrecisionScope();
  PrecisionScope(const PrecisionScope&) = delete;
  PrecisionScope& operator=(const PrecisionScope&) = delete;

 private:
  std::array<bool, 2> was_enabled_;  // by device
};

}  // namespace transformer

#pragma once

#include <array>

#include "base/enum_names.h"

namespace transformer {

/// The data type of matrix products; automatic: bf16 on a GPU, fp32 on a CPU. Parameters and the optimizer's moments
/// are always fp32.
enum class Precision { fp32, bf16, automatic };

template <>
struct EnumNames<Precision> {
  static constexpr std::array names = {"fp32", "bf16", "auto"};
};

/// What `precision` means on a GPU or a CPU: fp32 or bf16.
inline Precision precision_on(bool is_gpu, Precision precision) {
  if (precision != Precision::automatic) return precision;
  return is_gpu ? Precision::bf16 : Precision::fp32;
}

/// Whether GPUs may round the factors of products in fp32 to TF32, whose mantissa has 10 bits.
void allow_tf32(bool allowed);

/// Sets the precision of this thread's matrix products and attention during its lifetime, with LibTorch's autocast
/// (Deviation D20). Residual sums, layer normalization, every softmax and the loss stay in fp32. Run forward passes
/// inside the scope and backward passes outside; gradients have the types of the forward pass.
class PrecisionScope {
 public:
  explicit PrecisionScope(Precision precision);
  ~PrecisionScope();
  PrecisionScope(const PrecisionScope&) = delete;
  PrecisionScope& operator=(const PrecisionScope&) = delete;

 private:
  std::array<bool, 2> was_enabled_;  // of the CPU and of CUDA
};

}  // namespace transformer

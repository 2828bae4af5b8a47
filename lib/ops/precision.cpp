#include "ops/precision.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <torch/types.h>

namespace transformer {
namespace {

constexpr std::array kDevices = {torch::kCPU, torch::kCUDA};

}  // namespace

void allow_tf32(bool allowed) { at::globalContext().setAllowTF32CuBLAS(allowed); }

PrecisionScope::PrecisionScope(Precision precision) {
  at::autocast::increment_nesting();
  for (size_t i = 0; i < kDevices.size(); ++i) {
    was_enabled_[i] = at::autocast::is_autocast_enabled(kDevices[i]);
    const bool is_gpu = kDevices[i] == torch::kCUDA;
    at::autocast::set_autocast_enabled(kDevices[i], precision_on(is_gpu, precision) == Precision::bf16);
    at::autocast::set_autocast_dtype(kDevices[i], torch::kBFloat16);
  }
}

PrecisionScope::~PrecisionScope() {
  for (size_t i = 0; i < kDevices.size(); ++i) at::autocast::set_autocast_enabled(kDevices[i], was_enabled_[i]);
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();  // parameters change before the next one
}

}  // namespace transformer

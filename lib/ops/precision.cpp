#include "ops/precision.h"

#include <ATen/autocast_mode.h>
#include <torch/torch.h>

namespace transformer {
namespace {

constexpr std::array kDevices = {torch::kCPU, torch::kCUDA};

}  // namespace

PrecisionScope::PrecisionScope(Precision precision) : changed_(precision != Precision::fp32) {
  if (!changed_) return;
  at::autocast::increment_nesting();
  for (const auto device : kDevices) {
    at::autocast::set_autocast_dtype(device, torch::kBFloat16);
    at::autocast::set_autocast_enabled(device, true);
  }
}

PrecisionScope::~PrecisionScope() {
  if (!changed_) return;
  for (const auto device : kDevices) at::autocast::set_autocast_enabled(device, false);
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
}

}  // namespace transformer

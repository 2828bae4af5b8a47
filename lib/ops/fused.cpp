#include "ops/fused.h"

#include <atomic>

namespace transformer {

static std::atomic<bool> fused_kernels = true;

bool uses_fused_kernels() { return fused_kernels; }
void set_fused_kernels(bool fused) { fused_kernels = fused; }

}  // namespace transformer

#include "platform/matrix_kernels.h"

#if defined(__x86_64__)

#include <dlfcn.h>

#include "platform/cpu_features.h"

/// MKL's question before it chooses kernels, answered here in place of its own function of this name, which knows
/// Intel's processors only. Where MKL is not what LibTorch uses, nobody asks.
extern "C" int mkl_serv_intel_cpu_true() { return transformer::has_avx512() || __builtin_cpu_is("intel"); }

namespace transformer {

bool has_avx512_products() {
  const void* asked = dlsym(RTLD_DEFAULT, "mkl_serv_intel_cpu_true");
  return has_avx512() && asked == reinterpret_cast<const void*>(&mkl_serv_intel_cpu_true);
}

}  // namespace transformer

#else

namespace transformer {

bool has_avx512_products() { return false; }

}  // namespace transformer

#endif

#include "platform/mkl_avx512.h"

#if defined(__x86_64__)

#include <dlfcn.h>

#include "platform/cpu_features.h"

/// MKL calls this function before it chooses its kernels. This definition takes the place of MKL's own, which knows
/// Intel processors only. If LibTorch uses another library than MKL, nothing calls it.
extern "C" int mkl_serv_intel_cpu_true() { return transformer::has_avx512() || __builtin_cpu_is("intel"); }

namespace transformer {

bool mkl_uses_avx512() {
  const void* called_by_mkl = dlsym(RTLD_DEFAULT, "mkl_serv_intel_cpu_true");
  return has_avx512() && called_by_mkl == reinterpret_cast<const void*>(&mkl_serv_intel_cpu_true);
}

}  // namespace transformer

#else

namespace transformer {

bool mkl_uses_avx512() { return false; }

}  // namespace transformer

#endif

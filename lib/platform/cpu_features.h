#pragma once

namespace transformer {

/// Whether the processor has the parts of AVX-512 that kernels for it use: F, BW and DQ.
inline bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
#else
  return false;
#endif
}

/// Whether sums of products of 8-bit numbers are exact. x86 without VNNI adds the products two by two in 16 bits, which
/// two of the largest exceed.
inline bool has_exact_byte_products() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512vnni");
#else
  return true;
#endif
}

}  // namespace transformer

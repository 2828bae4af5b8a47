#pragma once

#include <set>
#include <string>

namespace transformer {

/// Whether the processor has the subsets of AVX-512 that our kernels use: F, BW and DQ.
inline bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
#else
  return false;
#endif
}

/// Whether the processor has instructions that sum products of 8-bit integers in 32 bits; on x86 these are called VNNI.
/// The older instructions of x86 sum two products in 16 bits, which overflows.
inline bool has_int8_dot_product() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512vnni");
#else
  return true;
#endif
}

/// Whether the processor has a matrix unit for 8-bit integers (AMX), which oneDNN uses.
bool has_amx_int8();

/// The processor's name, such as "AMD EPYC 9454P"; "unknown" if /proc/cpuinfo has none.
std::string cpu_model();

/// The processor's feature flags, such as "avx2", by the names in /proc/cpuinfo; empty on processors other than x86.
std::set<std::string> cpu_flags();

/// How a processor multiplies matrices in bf16, in the order of speed.
enum class Bf16Products {
  unknown,      // not x86
  emulated,     // without instructions for bf16: no faster than fp32
  avx512_bf16,  // AVX-512 with instructions for bf16
  amx_bf16,     // a matrix unit
};

/// What a processor with these flags (see `cpu_flags`) does.
Bf16Products bf16_products(const std::set<std::string>& flags);

}  // namespace transformer

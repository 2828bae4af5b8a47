#pragma once

#include <array>
#include <set>
#include <string>

#include "base/enum_names.h"

namespace transformer {

/// Instructions for vectors and matrices, each with those before it. `baseline` has vectors of 16 bytes, which every
/// processor has; `avx2` includes FMA; `avx512` is its subsets F, BW and DQ; `avx512_vnni` also sums products of 8-bit
/// integers in 32 bits; `amx` is a matrix unit for 8-bit integers.
enum class InstructionSet { baseline, avx2, avx512, avx512_vnni, amx };

template <>
struct EnumNames<InstructionSet> {
  static constexpr std::array names = {"baseline", "avx2", "avx512", "avx512_vnni", "amx"};
};

extern const InstructionSet used_instruction_set;  // set before `main`

/// The last instructions that kernels may use: those of the processor, or earlier ones if the environment variable
/// TRANSFORMER_CPU names them when the program starts. The limit holds for LibTorch and its libraries, too.
inline InstructionSet instruction_set() { return used_instruction_set; }

/// Throws UsageError if TRANSFORMER_CPU has another value than a name of InstructionSet.
void check_instruction_set_variable();

/// Whether kernels may use AVX-512.
inline bool has_avx512() { return instruction_set() >= InstructionSet::avx512; }

/// Whether kernels may use instructions that sum products of 8-bit integers in 32 bits; on x86 these are called VNNI.
/// The older instructions of x86 sum two products in 16 bits, which overflows.
bool has_int8_dot_product();

/// Whether kernels may use the matrix unit AMX, for which the first call asks the system: Linux then keeps its
/// registers for the threads of this process.
bool can_use_amx();

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

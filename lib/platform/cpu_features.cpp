#include "platform/cpu_features.h"

#include <fmt/ranges.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "base/error.h"
#include "base/format.h"
#include "base/words.h"

namespace transformer {
namespace {

/// The value of the first line "key : value" of /proc/cpuinfo.
std::optional<std::string> cpuinfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return std::nullopt;
}

InstructionSet best_instruction_set() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")) {
    if (!__builtin_cpu_supports("avx512vnni")) return InstructionSet::avx512;
    const auto flags = cpu_flags();
    const bool has_amx = flags.contains("amx_tile") && flags.contains("amx_int8") && flags.contains("amx_bf16");
    return has_amx ? InstructionSet::amx : InstructionSet::avx512_vnni;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return InstructionSet::avx2;
#endif
  return InstructionSet::baseline;
}

constexpr const char* kVariable = "TRANSFORMER_CPU";

std::optional<InstructionSet> requested_instruction_set() {
  const char* value = std::getenv(kVariable);
  return value ? value_named<InstructionSet>(value) : std::nullopt;
}

/// Makes LibTorch and its libraries, which read these variables when they choose their first kernel, use no later
/// instructions. Those for bf16 came between VNNI and AMX.
void limit_libraries(InstructionSet last) {
  struct Names {
    const char *aten, *mkl, *onednn;
  };
  static constexpr std::array kNames = {Names{"default", "SSE4_2", "SSE41"}, Names{"avx2", "AVX2", "AVX2"},
                                        Names{"avx512", "AVX512", "AVX512_CORE"},
                                        Names{"avx512", "AVX512_E2", "AVX512_CORE_BF16"}};
  if (last == InstructionSet::amx) return;
  const Names& names = kNames[static_cast<size_t>(last)];
  setenv("ATEN_CPU_CAPABILITY", names.aten, 1);
  setenv("MKL_ENABLE_INSTRUCTIONS", names.mkl, 1);
  setenv("ONEDNN_MAX_CPU_ISA", names.onednn, 1);
}

}  // namespace

const InstructionSet used_instruction_set = [] {
  const auto requested = requested_instruction_set();
  if (!requested) return best_instruction_set();
  limit_libraries(*requested);
  return std::min(*requested, best_instruction_set());
}();

std::string cpu_model() { return cpuinfo("model name").value_or("unknown"); }

std::set<std::string> cpu_flags() {
  const auto flags = split_words(cpuinfo("flags").value_or(""));
  return {flags.begin(), flags.end()};
}

void check_instruction_set_variable() {
  const char* value = std::getenv(kVariable);
  if (value && !requested_instruction_set()) {
    throw UsageError("{}: '{}' is none of {}; give one of them, or unset the variable", kVariable, shown_value(value),
                     fmt::join(EnumNames<InstructionSet>::names, ", "));
  }
}

bool has_int8_dot_product() {
#if defined(__x86_64__)
  return instruction_set() >= InstructionSet::avx512_vnni;
#else
  return true;
#endif
}

bool can_use_amx() {
#if defined(__x86_64__)
  if (instruction_set() != InstructionSet::amx) return false;
  static const bool is_allowed = [] {
    static constexpr long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  }();
  return is_allowed;
#else
  return false;
#endif
}

Bf16Products bf16_products(const std::set<std::string>& flags) {
  if (flags.empty()) return Bf16Products::unknown;
  if (flags.contains("amx_bf16")) return Bf16Products::amx_bf16;
  return flags.contains("avx512_bf16") ? Bf16Products::avx512_bf16 : Bf16Products::emulated;
}

}  // namespace transformer

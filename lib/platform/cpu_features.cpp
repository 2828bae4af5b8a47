#include "platform/cpu_features.h"

#include <fstream>
#include <optional>

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

}  // namespace

std::string cpu_model() { return cpuinfo("model name").value_or("unknown"); }

std::set<std::string> cpu_flags() {
  const auto flags = split_words(cpuinfo("flags").value_or(""));
  return {flags.begin(), flags.end()};
}

bool has_amx_int8() {
  static const bool found = cpu_flags().contains("amx_int8");
  return found;
}

Bf16Products bf16_products(const std::set<std::string>& flags) {
  if (flags.empty()) return Bf16Products::unknown;
  if (flags.contains("amx_bf16")) return Bf16Products::amx_bf16;
  return flags.contains("avx512_bf16") ? Bf16Products::avx512_bf16 : Bf16Products::emulated;
}

}  // namespace transformer

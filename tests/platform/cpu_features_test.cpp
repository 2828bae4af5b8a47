#include "platform/cpu_features.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "catch.h"

namespace transformer {

TEST_CASE("the instruction set is the processor's, or what TRANSFORMER_CPU says") {
  CHECK_FALSE(cpu_model().empty());
  const auto flags = cpu_flags();
  if (flags.empty()) return;  // not x86
  CHECK(flags.contains("fpu"));
  const auto has = [&](const std::vector<std::string>& needed) {
    return std::all_of(needed.begin(), needed.end(), [&](const std::string& flag) { return flags.contains(flag); });
  };
  auto best = InstructionSet::baseline;
  if (has({"avx2", "fma"})) best = InstructionSet::avx2;
  if (has({"avx512f", "avx512bw", "avx512dq"})) best = InstructionSet::avx512;
  if (best == InstructionSet::avx512 && has({"avx512_vnni"})) best = InstructionSet::avx512_vnni;
  if (best == InstructionSet::avx512_vnni && has({"amx_tile", "amx_int8", "amx_bf16"})) best = InstructionSet::amx;
  const char* limit = std::getenv("TRANSFORMER_CPU");
  CHECK(instruction_set() == (limit ? std::min(best, value_named<InstructionSet>(limit).value()) : best));
  CHECK(has_avx512() == (instruction_set() != InstructionSet::baseline && instruction_set() != InstructionSet::avx2));
  CHECK(has_int8_dot_product() == (has_avx512() && instruction_set() != InstructionSet::avx512));
  CHECK(can_use_amx() == (instruction_set() == InstructionSet::amx));
}

TEST_CASE("bf16 products need AVX-512 with BW, DQ and VL") {
  CHECK(bf16_products({}) == Bf16Products::unknown);
  CHECK(bf16_products({"fpu", "avx2"}) == Bf16Products::emulated);
  CHECK(bf16_products({"avx512f", "avx512bw", "avx512dq", "avx512vl"}) == Bf16Products::emulated);
  CHECK(bf16_products({"avx512bw", "avx512dq", "avx512vl", "avx512_bf16"}) == Bf16Products::avx512_bf16);
  CHECK(bf16_products({"avx512bw", "avx512dq", "avx512vl", "avx512_bf16", "amx_bf16"}) == Bf16Products::amx_bf16);
}

}  // namespace transformer

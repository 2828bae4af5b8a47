#include "platform/cpu_features.h"

#include <algorithm>
#include <cstdlib>

#include "catch.h"

namespace transformer {

TEST_CASE("the instruction set is the processor's, or what TRANSFORMER_CPU says") {
  CHECK_FALSE(cpu_model().empty());
  const auto flags = cpu_flags();
  if (flags.empty()) return;  // not x86
  CHECK(flags.contains("fpu"));
  const bool avx512 = flags.contains("avx512f") && flags.contains("avx512bw") && flags.contains("avx512dq");
  const bool avx2 = flags.contains("avx2") && flags.contains("fma");
  const auto best = avx512 ? InstructionSet::avx512 : (avx2 ? InstructionSet::avx2 : InstructionSet::baseline);
  const char* limit = std::getenv("TRANSFORMER_CPU");
  CHECK(instruction_set() == (limit ? std::min(best, value_named<InstructionSet>(limit).value()) : best));
  CHECK(has_int8_dot_product() == (has_avx512() && flags.contains("avx512_vnni")));
}

TEST_CASE("bf16 products need AVX-512 with BW, DQ and VL") {
  CHECK(bf16_products({}) == Bf16Products::unknown);
  CHECK(bf16_products({"fpu", "avx2"}) == Bf16Products::emulated);
  CHECK(bf16_products({"avx512f", "avx512bw", "avx512dq", "avx512vl"}) == Bf16Products::emulated);
  CHECK(bf16_products({"avx512bw", "avx512dq", "avx512vl", "avx512_bf16"}) == Bf16Products::avx512_bf16);
  CHECK(bf16_products({"avx512bw", "avx512dq", "avx512vl", "avx512_bf16", "amx_bf16"}) == Bf16Products::amx_bf16);
}

}  // namespace transformer

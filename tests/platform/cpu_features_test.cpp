#include "platform/cpu_features.h"

#include "catch.h"

namespace transformer {

TEST_CASE("CPU flags agree with what the processor says of AVX-512") {
  CHECK_FALSE(cpu_model().empty());
  const auto flags = cpu_flags();
  if (flags.empty()) return;  // not x86
  CHECK(flags.contains("fpu"));
  CHECK(has_avx512() == (flags.contains("avx512f") && flags.contains("avx512bw") && flags.contains("avx512dq")));
}

}  // namespace transformer

#include "kernels/cpu_kernels.h"

#include "catch.h"
#include "tensors.h"

namespace transformer {

TEST_CASE("CPU kernels run for fp32 and bf16 in whole SIMD vectors, unless they are switched off") {
  const auto in = [](torch::Dtype type) { return torch::zeros({1}, type); };
  CHECK(use_cpu_kernel({in(torch::kFloat), in(torch::kBFloat16)}));
  CHECK(use_cpu_kernel({in(torch::kFloat)}, {16, 48}));
  CHECK_FALSE(use_cpu_kernel({in(torch::kFloat)}, {16, 17}));
  CHECK_FALSE(use_cpu_kernel({in(torch::kFloat), in(torch::kHalf)}));
  CHECK_FALSE(use_cpu_kernel({in(torch::kDouble)}));
  const PlainOperations plain;
  CHECK_FALSE(use_cpu_kernel({in(torch::kFloat)}));
}

}  // namespace transformer

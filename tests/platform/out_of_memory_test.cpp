#include "platform/out_of_memory.h"

#include <c10/util/Exception.h>
#include <torch/types.h>

#include <new>
#include <stdexcept>
#include <vector>

#include "catch.h"

namespace transformer {
namespace {

template <class Work>
bool runs_out_of_memory(Work work) {
  try {
    work();
  } catch (const std::exception& failure) {
    return is_out_of_memory(failure);
  }
  FAIL("the work did not fail");
  return false;
}

}  // namespace

TEST_CASE("missing memory is recognized, whoever reports it") {
  CHECK(runs_out_of_memory([] { throw std::bad_alloc(); }));
  CHECK(runs_out_of_memory([] { TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA"); }));
  CHECK(runs_out_of_memory([] { torch::empty({int64_t{1} << 60}); }));  // the CPU's allocator
  CHECK(runs_out_of_memory([] { throw c10::AcceleratorError({__func__, __FILE__, __LINE__}, 2, "CUDA error"); }));
  CHECK(runs_out_of_memory([] { TORCH_CHECK(false, "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling"); }));
  CHECK(runs_out_of_memory(
      [] { TORCH_CHECK(false, "CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`"); }));
  CHECK(runs_out_of_memory([] {
    TORCH_CHECK_WITH(
        DistBackendError, false,
        "NCCL error in: NCCLUtils.cpp:94, unhandled cuda error, NCCL version 2.28.9\nncclUnhandledCudaError: "
        "Call to CUDA function failed.\nLast error:\nCuda failure 2 'out of memory'");
  }));
  CHECK_FALSE(runs_out_of_memory([] { TORCH_CHECK(false, "CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling"); }));
  CHECK_FALSE(runs_out_of_memory([] {
    throw c10::AcceleratorError({__func__, __FILE__, __LINE__}, 719, "CUDA error");
  }));
  CHECK_FALSE(runs_out_of_memory([] { TORCH_CHECK(false, "other"); }));
  CHECK_FALSE(runs_out_of_memory([] { throw std::runtime_error("other"); }));
}

TEST_CASE("work is repeated with half the size until it fits") {
  std::vector<int64_t> sizes;
  const auto with_memory_for = [&](int64_t limit) {
    sizes.clear();
    return halve_until_it_fits("work", "line", 20, [&](int64_t size) {
      sizes.push_back(size);
      if (size > limit) throw std::bad_alloc();
      return -size;
    });
  };
  CHECK(with_memory_for(20) == -20);
  CHECK(with_memory_for(3) == -2);
  CHECK(sizes == std::vector<int64_t>{20, 10, 5, 2});
  CHECK_THROWS_AS(with_memory_for(0), std::bad_alloc);
  CHECK(sizes.back() == 1);
  CHECK_THROWS_AS(halve_until_it_fits("work", "line", 4, [](int64_t) -> int { throw std::runtime_error("other"); }),
                  std::runtime_error);
}

}  // namespace transformer

#include "platform/out_of_memory.h"

#include <c10/util/Exception.h>
#include <torch/types.h>

#include <new>
#include <stdexcept>

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

TEST_CASE("missing memory is recognised, whoever reports it") {
  CHECK(runs_out_of_memory([] { throw std::bad_alloc(); }));
  CHECK(runs_out_of_memory([] { TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA"); }));
  CHECK(runs_out_of_memory([] { torch::empty({int64_t{1} << 60}); }));  // the CPU's allocator
  CHECK_FALSE(runs_out_of_memory([] { TORCH_CHECK(false, "other"); }));
  CHECK_FALSE(runs_out_of_memory([] { throw std::runtime_error("other"); }));
}

}  // namespace transformer

#include "run/failure.h"

#include <c10/util/Exception.h>

#include <new>

#include "base/error.h"
#include "catch.h"
#include "distributed/process_group.h"
#include "platform/out_of_memory.h"

namespace transformer {
namespace {

template <class Work>
Failure failure_of(Work work) {
  try {
    work();
  } catch (...) {
    return describe_current_exception();
  }
  FAIL("the work did not fail");
  return {};
}

}  // namespace

TEST_CASE("failure: what the user can mend keeps its message, and a wrong call has another status") {
  const Failure error = failure_of([] { throw Error("a.txt: no such file"); });
  CHECK(error.status == kFailureStatus);
  CHECK(error.message == "a.txt: no such file");
  CHECK_FALSE(error.is_consequence);
  const Failure usage = failure_of([] { throw UsageError("--top-k: too large"); });
  CHECK(usage.status == kUsageStatus);
  CHECK(usage.message == "--top-k: too large");
}

TEST_CASE("failure: a lost connection is the consequence of another rank's failure") {
  const Failure failure = failure_of([] { throw LostConnection("the connection broke"); });
  CHECK(failure.status == kFailureStatus);
  CHECK(failure.is_consequence);
}

TEST_CASE("failure: an internal error has no stack trace, and missing memory is called so") {
  const Failure internal = failure_of([] { TORCH_CHECK(false, "rows ", 3); });
  CHECK(internal.status == kFailureStatus);
  CHECK(internal.message == "internal error: rows 3");
  CHECK(failure_of([] { throw std::bad_alloc(); }).message == kOutOfMemory);
  CHECK(failure_of([] { TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA"); }).message == kOutOfMemory);
}

}  // namespace transformer

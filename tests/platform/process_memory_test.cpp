#include "platform/process_memory.h"

#include <vector>

#include "catch.h"
#include "platform/malloc_policy.h"

namespace transformer {

TEST_CASE("the peak of the process's memory covers what is in use and never falls") {
  static constexpr int64_t kBytes = int64_t{64} << 20;
  const int64_t before = peak_process_bytes();
  {
    const std::vector<char> block(static_cast<size_t>(before + kBytes), 1);
    CHECK(peak_process_bytes() >= before + kBytes);
  }
  return_freed_memory();
  CHECK(peak_process_bytes() >= before);
}

}  // namespace transformer

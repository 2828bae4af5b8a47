#include "platform/malloc_policy.h"

#include <malloc.h>

#include <vector>

#include "catch.h"

namespace transformer {
namespace {

/// Whether the C library takes a block of 1 MiB from the operating system by itself, and not from the heap.
bool maps_large_blocks() {
  const size_t before = mallinfo2().hblks;
  const std::vector<char> block(1 << 20);
  return mallinfo2().hblks > before;
}

}  // namespace

TEST_CASE("the malloc policy can be changed back and forth") {
  for (int round = 0; round < 2; ++round) {
    set_malloc_policy(MallocPolicy::keep_freed_memory);
    CHECK(!maps_large_blocks());
    set_malloc_policy(MallocPolicy::return_large_blocks);
    return_freed_memory();  // of which the heap would make blocks first
    CHECK(maps_large_blocks());
  }
}

}  // namespace transformer

#include "platform/malloc_policy.h"

#include <malloc.h>

namespace transformer {

void set_malloc_policy(MallocPolicy policy) {
  const bool keep = policy == MallocPolicy::keep_freed_memory;
  mallopt(M_MMAP_THRESHOLD, 128 << 10);              // an explicit threshold is not adapted any more
  mallopt(M_MMAP_MAX, keep ? 0 : 65536);             // 0: serve large blocks from the heap, too
  mallopt(M_TRIM_THRESHOLD, keep ? -1 : 128 << 10);  // -1: never shrink the heap
  mallopt(M_TOP_PAD, keep ? 64 << 20 : 128 << 10);
}

LoadingMallocPolicy::LoadingMallocPolicy() { set_malloc_policy(MallocPolicy::return_large_blocks); }

LoadingMallocPolicy::~LoadingMallocPolicy() {
  return_freed_memory();
  set_malloc_policy(MallocPolicy::keep_freed_memory);
}

void use_one_heap() { mallopt(M_ARENA_MAX, 1); }

void use_a_heap_for_each_thread() {
  static constexpr int kMaxHeaps = 256;  // more than there are threads; each takes 64 MB of addresses
  mallopt(M_ARENA_MAX, kMaxHeaps);
}

void return_freed_memory() { malloc_trim(0); }

}  // namespace transformer

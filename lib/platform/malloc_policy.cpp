#include "platform/malloc_policy.h"

#include <malloc.h>

namespace transformer {

void set_malloc_policy(MallocPolicy policy) {
  if (policy == MallocPolicy::return_large_blocks) {
    mallopt(M_MMAP_THRESHOLD, 128 << 10);  // an explicit threshold is not adapted any more
  } else {
    mallopt(M_MMAP_MAX, 0);         // serve large blocks from the heap, too
    mallopt(M_TRIM_THRESHOLD, -1);  // never shrink the heap
    mallopt(M_TOP_PAD, 64 << 20);
  }
}

void return_freed_memory() { malloc_trim(0); }

}  // namespace transformer

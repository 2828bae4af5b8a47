#include "platform/malloc_policy.h"

#include <malloc.h>

namespace transformer {

void give_back_large_blocks() { mallopt(M_MMAP_THRESHOLD, 128 << 10); }  // a threshold that is set stays where it is

void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);         // large blocks too come from the heap
  mallopt(M_TRIM_THRESHOLD, -1);  // which never shrinks
  mallopt(M_TOP_PAD, 64 << 20);
}

void give_back_freed_memory() { malloc_trim(0); }

}  // namespace transformer

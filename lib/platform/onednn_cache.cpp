#include "platform/onednn_cache.h"

#include <cstdlib>

namespace transformer {

void limit_onednn_cache() {
  static constexpr const char* kCapacity = "64";  // more than the different products of a step
  setenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY", kCapacity, /*overwrite=*/0);
  setenv("LRU_CACHE_CAPACITY", kCapacity, /*overwrite=*/0);  // of ideep, LibTorch's interface to oneDNN
}

}  // namespace transformer

#include "platform/own_threads.h"

#include <ATen/Parallel.h>

namespace transformer {

void set_own_threads(int num_threads) {
  // What a thread takes over, it takes over once for this library and once for LibTorch's.
  at::internal::lazy_init_num_threads();
  at::get_num_threads();
  at::set_num_threads(num_threads);
}

}  // namespace transformer

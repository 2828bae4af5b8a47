#include "platform/own_threads.h"

#include <ATen/Parallel.h>

namespace transformer {

void set_own_threads(int num_threads) {
  // A thread takes over another's number when it first asks for its own: once in code of LibTorch's headers, which is
  // compiled into this program, and once in LibTorch's own. Both must have happened before its number is set.
  at::internal::lazy_init_num_threads();
  at::get_num_threads();
  at::set_num_threads(num_threads);
}

}  // namespace transformer

#include "platform/own_threads.h"

#include <ATen/Parallel.h>

#include <future>

#include "catch.h"

namespace transformer {

TEST_CASE("a thread keeps its number of threads when another one sets its own before the first operation") {
  std::promise<void> is_set, other_is_set;
  int at_first = 0, after_operation = 0;
  auto thread = std::async(std::launch::async, [&] {
    set_own_threads(4);
    is_set.set_value();
    other_is_set.get_future().wait();
    at_first = at::get_num_threads();
    at::parallel_for(0, 2, 1, [](int64_t, int64_t) {});
    after_operation = at::get_num_threads();
  });
  is_set.get_future().wait();
  std::async(std::launch::async, [] { set_own_threads(3); }).get();
  other_is_set.set_value();
  thread.get();
  CHECK(at_first == 4);
  CHECK(after_operation == 4);
}

}  // namespace transformer

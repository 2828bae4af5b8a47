#include "base/signals.h"

#include <csignal>
#include <thread>

#include "catch.h"

namespace transformer {

TEST_CASE("a request by signal is seen by threads other than the one that received it") {
  catch_save_signal();
  clear_save_request();
  std::thread receiver([] { std::raise(SIGUSR1); });
  while (!save_requested()) std::this_thread::yield();
  receiver.join();
  clear_save_request();
  CHECK_FALSE(save_requested());
  std::signal(SIGUSR1, SIG_DFL);
}

}  // namespace transformer

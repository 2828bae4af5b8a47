#include "base/signals.h"

#include <csignal>
#include <thread>

#include "catch.h"

namespace transformer {

TEST_CASE("a request by signal is seen by threads other than the one that received it") {
  catch_save_signal();
  clear_save_request();
  std::thread receiver([] { std::raise(SIGUSR1); });
  receiver.join();
  CHECK(save_requested());
  clear_save_request();
  CHECK_FALSE(save_requested());
  std::signal(SIGUSR1, SIG_DFL);
}

TEST_CASE("signals that a process was started to ignore stay ignored") {
  const int signal = GENERATE(SIGINT, SIGHUP);
  std::signal(signal, SIG_IGN);
  CHECK(is_ignored(signal));
  catch_stop_signals(/*acknowledge=*/false);
  CHECK(is_ignored(signal));
  CHECK_FALSE(is_ignored(SIGTERM));
  for (const int caught : {SIGINT, SIGHUP, SIGTERM}) std::signal(caught, SIG_DFL);
}

}  // namespace transformer

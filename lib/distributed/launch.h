#pragma once

#include <chrono>

namespace transformer {

/// Starts `count` copies of this program with the same arguments as the ranks of one world on this machine, forwards
/// SIGTERM, SIGINT, SIGHUP and SIGUSR1 to them, suspends them while SIGTSTP (Ctrl-Z) suspends this process, and waits
/// until they exit. `attempt` is how often a launcher has restarted this process. When a rank fails, kills the others.
/// Throws ReportedFailure if the failed rank has reported its error or a forwarded signal ended it, and Error if
/// another signal killed it, a rank could not be started, or the ranks' store could not be opened within
/// `start_timeout`.
void launch_ranks(int count, std::chrono::seconds start_timeout, int attempt = 0);

}  // namespace transformer

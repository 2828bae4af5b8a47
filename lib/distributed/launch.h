#pragma once

namespace transformer {

/// Starts `count` copies of this program with the same arguments as the ranks of one world on this machine, forwards
/// SIGTERM, SIGINT, SIGHUP and SIGUSR1 to them, suspends them while SIGTSTP (Ctrl-Z) suspends this process, and waits
/// until they exit. `attempt` is how often a launcher has restarted this process. When a rank fails, kills the others.
/// Throws ReportedFailure if the failed rank has reported its error, Error if a signal killed it.
void launch_ranks(int count, int attempt = 0);

}  // namespace transformer

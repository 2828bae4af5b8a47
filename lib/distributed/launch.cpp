#include "distributed/launch.h"

#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/read_file.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "distributed/heartbeat.h"
#include "distributed/rendezvous.h"

namespace transformer {
namespace {

constexpr int kNotStarted = 127;  // the exit status of a rank that could not execute this program, as in a shell

/// Reads the strings in a file such as /proc/self/cmdline, each of which ends with '\0'.
std::vector<std::string> strings_of(const std::string& path) {
  std::vector<std::string> strings;
  std::string string;
  for (const char c : read_file(path)) {
    if (c == '\0') {
      strings.push_back(std::move(string));
      string.clear();
    } else {
      string += c;
    }
  }
  return strings;
}

/// This program's environment, with the variables of torchrun that describe the rank `m`.
std::vector<std::string> environment_of(const Membership& m) {
  auto environment = strings_of("/proc/self/environ");
  const auto set = [&](const std::string& name, const auto& value) {
    std::erase_if(environment, [&](const std::string& variable) { return variable.starts_with(name + "="); });
    environment.push_back(fmt::format("{}={}", name, value));
  };
  set("RANK", m.rank);
  set("WORLD_SIZE", m.world_size);
  set("LOCAL_RANK", m.local_rank);
  set("LOCAL_WORLD_SIZE", m.local_world_size);
  set("MASTER_ADDR", m.address);
  set("MASTER_PORT", m.port);
  set("TORCHELASTIC_USE_AGENT_STORE", "True");
  set("TORCHELASTIC_RESTART_COUNT", m.attempt);
  return environment;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (auto& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// The signals that the launcher forwards to the ranks.
std::vector<int> forwarded_signals() {
  std::vector<int> signals = {SIGTERM, SIGUSR1};
  for (const int signal : {SIGINT, SIGHUP}) {
    if (!is_ignored(signal)) signals.push_back(signal);
  }
  return signals;
}

/// Blocks the signals that the launcher handles in this thread, and in threads that it starts, while the object exists.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t handled;
    sigemptyset(&handled);
    for (const int number : forwarded_signals()) sigaddset(&handled, number);
    sigaddset(&handled, SIGTSTP);
    pthread_sigmask(SIG_BLOCK, &handled, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

/// Between fork and exec the child calls only async-signal-safe functions, since the store runs a thread in this
/// process.
pid_t start_rank(const Membership& m, std::vector<std::string>& command) {
  auto environment = environment_of(m);
  const auto words = pointers_to(command), variables = pointers_to(environment);
  const auto forwarded = forwarded_signals();
  const pid_t parent = getpid();
  const BlockedSignals blocked;  // until the child no longer has this program's handlers
  const pid_t child = fork();
  if (child < 0) throw Error("cannot start rank {}: {}; reduce --devices", m.rank, std::strerror(errno));
  if (child > 0) return child;
  for (const int number : forwarded) signal(number, SIG_DFL);
  signal(SIGTSTP, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // no rank outlives this program
  signal(SIGUSR1, SIG_IGN);          // it would end the rank until the rank has a handler
  pthread_sigmask(SIG_SETMASK, &blocked.before(), nullptr);
  setpgid(0, 0);  // so that Ctrl-C reaches a rank only once, forwarded by this program, and Ctrl-Z, too
  if (getppid() == parent) execve("/proc/self/exe", words.data(), variables.data());
  _exit(kNotStarted);
}

std::vector<pid_t> ranks;                         // for the signal handler; 0 for a rank that has exited
volatile std::sig_atomic_t forwarded_signal = 0;  // the latest stop signal

void signal_rank(pid_t rank, int signal) {
  if (rank > 0) kill(rank, signal);
}

extern "C" void forward_signal(int signal) {
  if (signal != SIGUSR1) forwarded_signal = signal;
  for (const pid_t rank : ranks) signal_rank(rank, signal);
}

void handle_suspension();

/// Suspends the ranks together with this program. Its own suspension is left to the kernel, which skips it where no
/// shell could continue this program.
extern "C" void suspend(int /*SIGTSTP*/) {
  for (const pid_t rank : ranks) signal_rank(rank, SIGTSTP);
  raise(SIGTSTP);  // SA_RESETHAND has restored the default action
  for (const pid_t rank : ranks) signal_rank(rank, SIGCONT);
  handle_suspension();
}

void handle_suspension() {
  struct sigaction action {};
  action.sa_handler = suspend;
  action.sa_flags = SA_RESTART | SA_RESETHAND | SA_NODEFER;
  sigaction(SIGTSTP, &action, nullptr);
}

void forward_signals() {
  struct sigaction action {};
  action.sa_handler = forward_signal;
  action.sa_flags = SA_RESTART;  // `wait` continues after a signal
  for (const int number : forwarded_signals()) sigaction(number, &action, nullptr);
  handle_suspension();
  signal(SIGCHLD, SIG_DFL);  // ignoring it, which exec preserves, would discard the exit statuses
}

struct Exit {
  int rank, status;
};

/// Waits for all ranks and returns the first one that failed, if any, after killing the others.
std::optional<Exit> wait_for_ranks() {
  std::optional<Exit> failed;
  for (size_t left = ranks.size(); left > 0;) {
    int status = 0;
    const pid_t exited = wait(&status);
    if (exited < 0) throw Error("cannot wait for the ranks: {}", std::strerror(errno));
    const auto rank = std::find(ranks.begin(), ranks.end(), exited);
    if (rank == ranks.end()) continue;  // an orphan, or a child that this process had before exec
    *rank = 0;                          // another process may get its number
    --left;
    if (status == 0 || failed) continue;
    failed = {static_cast<int>(rank - ranks.begin()), status};
    for (const pid_t other : ranks) signal_rank(other, SIGKILL);
  }
  return failed;
}

}  // namespace

void launch_ranks(int count, std::chrono::seconds start_timeout, int attempt) {
  allow_connections(count);
  Membership m{.world_size = count, .local_world_size = count, .launcher_has_store = true, .attempt = attempt};
  const Store store = [&] {
    const BlockedSignals blocked;  // by the store's threads: the handlers share their variables with this thread only
    return open_launcher_store(m.port, start_timeout);
  }();
  auto command = strings_of("/proc/self/cmdline");
  ranks.reserve(static_cast<size_t>(count));  // the signal handler reads it, so it must not move
  forward_signals();
  leave_status_to_another_process();  // to rank 0
  for (m.rank = 0; m.rank < count; ++m.rank) {
    m.local_rank = m.rank;
    ranks.push_back(start_rank(m, command));
  }
  if (forwarded_signal != 0) forward_signal(forwarded_signal);  // also to ranks that were not started when it came
  const auto failed = wait_for_ranks();
  write_to_stderr("");  // erases the status that a killed rank has left
  if (!failed) return;
  if (WIFEXITED(failed->status) && WEXITSTATUS(failed->status) == kNotStarted) {
    throw Error(
        "cannot start rank {}: this program could not be executed again (the message above, if there is one, says why)",
        failed->rank);
  }
  if (WIFEXITED(failed->status)) throw ReportedFailure(WEXITSTATUS(failed->status));
  const int number = WTERMSIG(failed->status);
  if (number == forwarded_signal) throw ReportedFailure(128 + number);  // a stop was requested before training began
  throw Error("{}was killed by signal {} ({}){}; run the same command again to resume from the last checkpoint",
              describe_rank(*store_of_latest_round(store), failed->rank, count), number, strsignal(number),
              number == SIGKILL ? ", perhaps because the machine ran out of memory" : "");
}

}  // namespace transformer

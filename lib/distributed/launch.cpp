#include "distributed/launch.h"

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
#include "base/log.h"
#include "base/read_file.h"
#include "distributed/meeting.h"
#include "distributed/watch.h"

namespace transformer {
namespace {

/// The strings of a file such as /proc/self/cmdline, which end with '\0' each.
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

/// This program's environment with what makes a process the rank that `m` says.
std::vector<std::string> environment_of(const Membership& m) {
  auto environment = strings_of("/proc/self/environ");
  const auto set = [&](const std::string& name, const auto& value) {
    std::erase_if(environment, [&](const std::string& variable) { return variable.starts_with(name + "="); });
    environment.push_back(concat(name, "=", value));
  };
  set("RANK", m.rank);
  set("WORLD_SIZE", m.size);
  set("LOCAL_RANK", m.local_rank);
  set("LOCAL_WORLD_SIZE", m.local_size);
  set("MASTER_ADDR", m.address);
  set("MASTER_PORT", m.port);
  set("TORCHELASTIC_USE_AGENT_STORE", "True");
  return environment;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (auto& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Between fork and exec only what is safe beside the store's thread.
pid_t start_rank(const Membership& m, std::vector<std::string>& command) {
  auto environment = environment_of(m);
  const auto words = pointers_to(command), variables = pointers_to(environment);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw Error("rank ", m.rank, " cannot be started: ", std::strerror(errno), "; give fewer --devices");
  if (child > 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // no rank outlives this program
  setpgid(0, 0);                     // a terminal's Ctrl-C comes once, through this program
  if (getppid() == parent) execve("/proc/self/exe", words.data(), variables.data());
  _exit(127);
}

std::vector<pid_t> ranks;  // for the signal handler
volatile std::sig_atomic_t passed_on = 0;

extern "C" void pass_on(int signal) {
  passed_on = signal;
  for (const pid_t rank : ranks) kill(rank, signal);
}

void catch_signals_to_pass_on() {
  struct sigaction action {};
  action.sa_handler = pass_on;
  action.sa_flags = SA_RESTART;  // `wait` goes on
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

struct Ended {
  int rank, status;
};

/// Waits for all ranks, and ends the others when one fails: that one, if any.
std::optional<Ended> first_failure() {
  std::optional<Ended> failed;
  for (size_t left = ranks.size(); left > 0; --left) {
    int status = 0;
    const pid_t ended = wait(&status);
    if (status == 0 || failed) continue;
    failed = {static_cast<int>(std::find(ranks.begin(), ranks.end(), ended) - ranks.begin()), status};
    for (const pid_t rank : ranks) kill(rank, SIGKILL);
  }
  return failed;
}

}  // namespace

void launch_ranks(int count) {
  Membership m{.size = count, .local_size = count, .launcher_has_store = true};
  const Store store = open_launcher_store(m.port);
  auto command = strings_of("/proc/self/cmdline");
  ranks.reserve(static_cast<size_t>(count));  // the signal handler reads it
  catch_signals_to_pass_on();
  for (m.rank = 0; m.rank < count; ++m.rank) {
    m.local_rank = m.rank;
    ranks.push_back(start_rank(m, command));
  }
  const auto failed = first_failure();
  if (!failed) return;
  if (WIFEXITED(failed->status)) throw AlreadySaid(WEXITSTATUS(failed->status));
  const int number = WTERMSIG(failed->status);
  if (number == passed_on) throw AlreadySaid(128 + number);  // before there was anything to save
  throw Error(describe_rank(*store, failed->rank, count), "was ended by signal ", number, " (", strsignal(number),
              "); the same command goes on from the last checkpoint");
}

}  // namespace transformer

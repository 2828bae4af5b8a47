#include "program.h"

#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>

#include "catch.h"

namespace transformer {
namespace {

int exit_status(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

/// An empty file in memory. Throws std::system_error.
std::FILE* open_in_memory(const char* name) {
  std::FILE* file = fdopen(memfd_create(name, MFD_CLOEXEC), "w+");
  if (file == nullptr) throw std::system_error(errno, std::generic_category(), std::string("in memory: ") + name);
  return file;
}

std::string whole(std::FILE* file) {
  std::rewind(file);
  std::string text;
  for (int c = std::getc(file); c != EOF; c = std::getc(file)) text += static_cast<char>(c);
  return text;
}

/// Puts a file that does not load in the place of the GPU driver, so that programs compute on the CPU on every machine.
/// Hiding the GPUs (CUDA_VISIBLE_DEVICES) is not enough: a program built without CUDA warns where it finds a driver.
void hide_gpus() {
  const char* others = std::getenv("LD_LIBRARY_PATH");
  const std::string directories =
      TEST_PROGRAMS_DIRECTORY "/no_driver" + (others == nullptr ? "" : std::string(":") + others);
  setenv("LD_LIBRARY_PATH", directories.c_str(), 1);
}

/// Beginnings of the variables that would change what a program does: launchers' variables, numbers of threads, seeds,
/// network interfaces, Python's and the recipes' settings.
constexpr std::array<std::string_view, 22> kUnwantedVariables = {"RANK=",
                                                                 "WORLD_SIZE=",
                                                                 "LOCAL_RANK=",
                                                                 "LOCAL_WORLD_SIZE=",
                                                                 "MASTER_",
                                                                 "SLURM_",
                                                                 "OMPI_COMM_",
                                                                 "MV2_COMM_",
                                                                 "PMI_",
                                                                 "MPI_LOCAL",
                                                                 "TORCHELASTIC_",
                                                                 "OMP_NUM_THREADS=",
                                                                 "OMP_THREAD_LIMIT=",
                                                                 "MKL_NUM_THREADS=",
                                                                 "SACREBLEU_SEED=",
                                                                 "GLOO_SOCKET_IFNAME=",
                                                                 "PYTHONPATH=",
                                                                 "PYTHONHOME=",
                                                                 "CHECKSUMS=",
                                                                 "MOSES=",
                                                                 "ROWS=",
                                                                 "ENV="};

void remove_unwanted_variables() {
  std::vector<std::string> names;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    for (const auto& beginning : kUnwantedVariables) {
      if (text.starts_with(beginning)) names.emplace_back(text.substr(0, text.find('=')));
    }
  }
  for (const auto& name : names) unsetenv(name.c_str());
}

/// Never returns: becomes the command, or ends.
[[noreturn]] void become(const std::vector<std::string>& command, const std::string& directory, int in, int out,
                         int err) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that is killed takes its program with it
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  setenv("transformer", TRANSFORMER_BINARY, 1);
  for (const int ignored : {SIGINT, SIGHUP}) std::signal(ignored, SIG_DFL);  // by a shell or nohup
  setpgid(0, 0);  // as a shell does; the kernel suspends no process group that has no shell above it
  setenv("LC_ALL", "C.UTF-8", 1);
  remove_unwanted_variables();
  hide_gpus();
  std::vector<char*> arguments;
  for (const auto& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  if (chdir(directory.c_str()) == 0) execvp(arguments[0], arguments.data());
  std::perror(arguments[0]);
  _exit(127);
}

bool can_listen_on(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool can = bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(listener);
  return can;
}

}  // namespace

Process::Process(const std::vector<std::string>& command, const std::string& directory, const std::string& input)
    : in_(open_in_memory("stdin"), std::fclose),
      out_(open_in_memory("stdout"), std::fclose),
      err_(open_in_memory("stderr"), std::fclose) {
  std::fwrite(input.data(), 1, input.size(), in_.get());
  std::rewind(in_.get());  // also flushes
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("cannot start a program");
  if (pid_ != 0) setpgid(pid_, pid_);  // as the child does, whichever comes first
  if (pid_ == 0) become(command, directory, fileno(in_.get()), fileno(out_.get()), fileno(err_.get()));
}

Process::~Process() {
  if (!is_running()) return;
  kill(-pid_, SIGKILL);  // and the processes that it has started
  waitpid(pid_, nullptr, 0);
}

bool Process::is_running() {
  int wait_status = 0;
  if (running_ && waitpid(pid_, &wait_status, WNOHANG) == pid_) {
    running_ = false;
    status_ = exit_status(wait_status);
  }
  return running_;
}

void Process::signal(int number) const { kill(pid_, number); }

void Process::lower_priority() const { setpriority(PRIO_PROCESS, static_cast<id_t>(pid_), 10); }

Result Process::wait() {
  int wait_status = 0;
  if (running_ && waitpid(pid_, &wait_status, 0) == pid_) {
    running_ = false;
    status_ = exit_status(wait_status);
  }
  return {status_, whole(out_.get()), whole(err_.get())};
}

void Process::wait_until(const std::string& what, const std::function<bool()>& condition) {
  static constexpr std::chrono::minutes kFarTooLong(5);
  static constexpr std::chrono::milliseconds kBetweenLooks(1);
  const auto start = std::chrono::steady_clock::now();
  while (!condition()) {
    if (!is_running()) FAIL("the program ended before " << what << ": " << wait().err);
    if (std::chrono::steady_clock::now() - start > kFarTooLong) FAIL("waited too long for " << what);
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

std::vector<std::string> program(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), TRANSFORMER_BINARY);
  return arguments;
}

std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

std::string quoted(const std::vector<std::string>& command) {
  std::string words;
  for (const auto& word : command) words += (words.empty() ? "" : " ") + quoted(word);
  return words;
}

int free_port() {
  static constexpr int kFirst = 20000, kNumPorts = 12000, kPortsOfTest = 16;
  static int next = getpid() * kPortsOfTest % kNumPorts;  // other tests may look for ports at the same time
  for (int tries = 0; tries < kNumPorts; ++tries) {
    const int port = kFirst + next;
    next = (next + 1) % kNumPorts;
    if (can_listen_on(port)) return port;
  }
  throw std::runtime_error("no free port");
}

std::vector<std::string> shell(const std::string& script) { return {"sh", "-c", script}; }

std::string output_of(const Result& result) {
  INFO("stderr: " << result.err);
  CHECK(result.status == 0);
  return result.out;
}

std::string only_output_of(const Result& result) {
  INFO("stderr: " << result.err);
  CHECK(result.err.empty());
  return output_of(result);
}

void check_fails(const Result& result, int status, const std::vector<std::string>& parts) {
  INFO("stderr: " << result.err);
  CHECK(result.status == status);
  CHECK(result.out.empty());
  for (const char* trace : {"Exception raised from", "frame #", "terminate called", "what():"}) {
    CHECK_THAT(result.err, !Catch::Contains(trace));
  }
  const std::string start = "error: ";
  std::string message;
  std::istringstream lines(result.err);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(start)) {
      CHECK(message.empty());  // one error is enough
      message = line;
    } else if (!message.empty()) {
      CHECK(line.starts_with("  "));  // what follows the error belongs to it
      message += "\n" + line;
    }
  }
  REQUIRE_THAT(message, Catch::StartsWith(start));
  // Where the call or the config is wrong, nothing was begun.
  if (status == 2) CHECK_THAT(result.err, Catch::StartsWith(start));
  for (const auto& part : parts) CHECK_THAT(message, Catch::Contains(part));
}

}  // namespace transformer

#include "base/run_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/error.h"
#include "base/system_error.h"

namespace transformer {

ProgramOutput run_program(const std::vector<std::string>& arguments, const std::string& input) {
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) throw Error("cannot run {}: {}", arguments.front(), last_system_error());
  const int file = open(input.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw read_error(input);
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, file, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  pid_t process = 0;
  const int failure = posix_spawnp(&process, pointers.front(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(file);
  close(pipe_ends[1]);
  static constexpr int kNotStarted = 127;
  ProgramOutput output{.status = kNotStarted, .out = {}};
  std::array<char, 4096> buffer{};
  ssize_t count = 0;
  while (failure == 0 && ((count = read(pipe_ends[0], buffer.data(), buffer.size())) > 0 || errno == EINTR)) {
    if (count > 0) output.out.append(buffer.data(), static_cast<size_t>(count));
    errno = 0;
  }
  close(pipe_ends[0]);
  if (failure != 0) return output;
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  output.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

}  // namespace transformer

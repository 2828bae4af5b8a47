#pragma once

#include <sys/types.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace transformer {

/// How a program ended and what it said.
struct Result {
  int status = 0;  // its exit status, or 128 + the signal that ended it, as a shell counts
  std::string out, err;
};

/// A program under way, in a directory, with `input` on its stdin. It finds no GPU, and does not outlive this object.
class Process {
 public:
  Process(const std::vector<std::string>& command, const std::string& directory, const std::string& input);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  bool is_running();
  void signal(int number) const;
  /// Leaves CPU time to this test, so that it sees in time what the program does.
  void lower_priority() const;
  Result wait();

  /// Returns as soon as `condition` holds. The test fails where the program ends before, or takes far too long.
  void wait_until(const std::string& what, const std::function<bool()>& condition);

 private:
  using Stream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

  Stream in_, out_, err_;
  pid_t pid_;
  int status_ = 0;
  bool running_ = true;
};

/// A command line that runs the program with these arguments.
std::vector<std::string> program(std::vector<std::string> arguments);

/// The text as one word of a shell script.
std::string quoted(const std::string& text);
/// The command line as part of a shell script.
std::string quoted(const std::vector<std::string>& command);

/// A port on which no program listens, another one in each call. It is below 32768, from where on Linux takes ports for
/// outgoing connections.
int free_port();

/// A command line that runs `script` under sh, where "$transformer" is the program.
std::vector<std::string> shell(const std::string& script);

/// The program's stdout. Checks that it succeeded.
std::string output_of(const Result& result);

/// The program's stdout. Checks that it succeeded and wrote nothing to stderr.
std::string only_output_of(const Result& result);

/// Checks that the program failed as documented: with this exit status, nothing on stdout, and exactly one message on
/// stderr that begins with "error: ", which contains all `parts`, comes last and has no stack trace.
void check_fails(const Result& result, int status, const std::vector<std::string>& parts);

}  // namespace transformer

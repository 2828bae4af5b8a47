#pragma once

#include <string>
#include <vector>

namespace transformer {

/// What a program has written to stdout, and its exit status: 127 if it could not be started.
struct ProgramOutput {
  int status;
  std::string out;
};

/// Runs a program, which is searched for in PATH, with the file as its stdin, and waits for its end. Its stderr is this
/// process's. Throws Error if the file cannot be read or no process can be made.
ProgramOutput run_program(const std::vector<std::string>& arguments, const std::string& input);

}  // namespace transformer

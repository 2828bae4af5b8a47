#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace transformer {

/// What an exception means for the user.
struct Failure {
  int status;                       // the program's: 2 where the call or the config is wrong, 1 where the work failed
  std::string sentence;             // without a stack trace
  bool is_of_another_rank = false;  // what is seen of it here
};

/// To be called where an exception that is not CLI11's was caught.
Failure describe_current_exception();

/// To be called where an exception was caught: logs it as one sentence and returns the program's exit status, 0 for
/// --help and --version.
int report_current_exception(const CLI::App& app, int argc, char** argv);

}  // namespace transformer

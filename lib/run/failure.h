#pragma once

#include <functional>
#include <string>

namespace transformer {

/// The program's exit status if the work failed, and if the call or the config is wrong.
inline constexpr int kFailureStatus = 1, kUsageStatus = 2;

/// What an exception means for the user.
struct Failure {
  int status;
  std::string message;          // one sentence without a stack trace
  bool is_consequence = false;  // the connection to another rank broke, so the cause is to be found there
};

/// Describes the exception that is being handled, for the command line; call it in a catch block.
Failure describe_current_exception();

/// While it exists, its function is called if an exception leaves a destructor and thus ends the program before any
/// catch block. LibTorch's destructors throw when they free memory of a GPU that has failed.
class UncaughtFailureHandler {
 public:
  explicit UncaughtFailureHandler(std::function<void(const Failure&)> handle);
  ~UncaughtFailureHandler();
  UncaughtFailureHandler(const UncaughtFailureHandler&) = delete;
  UncaughtFailureHandler& operator=(const UncaughtFailureHandler&) = delete;
};

/// Calls the functions of the handlers that exist, the newest first, each once; call it in a terminate handler.
void handle_uncaught_failure(const Failure& failure);

}  // namespace transformer

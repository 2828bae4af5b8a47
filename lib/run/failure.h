#pragma once

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

/// Describes the exception that is being handled; call it in a catch block.
Failure describe_current_exception();

}  // namespace transformer

#pragma once

#include <fmt/core.h>

#include <utility>

#include "base/error.h"

namespace transformer {

/// A request is not answered as it wishes; the answer has this HTTP status and the message.
class Refusal : public Error {
 public:
  template <class... Args>
  explicit Refusal(int status, fmt::format_string<Args...> format, Args&&... args)
      : Error(format, std::forward<Args>(args)...), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

/// The HTTP status that other servers write into their logs for a client that has gone.
inline constexpr int kClientClosedRequest = 499;

/// The client has closed its connection, so nobody waits for the answer.
class ClientHasGone : public Error {
 public:
  ClientHasGone() : Error("the client has closed its connection") {}
};

}  // namespace transformer

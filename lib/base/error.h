#pragma once

#include <fmt/core.h>

#include <exception>
#include <stdexcept>
#include <utility>

namespace transformer {

/// An error that the user can cause and fix. The message is one sentence: where, what is wrong, what to do, as in
/// `throw Error("{}:{}: unknown key '{}'", path, line, key)`. The program exits with status 1.
class Error : public std::runtime_error {
 public:
  template <class... Args>
  explicit Error(fmt::format_string<Args...> format, Args&&... args)
      : std::runtime_error(fmt::format(format, std::forward<Args>(args)...)) {}
};

/// A file whose content is damaged, for example cut short.
class DamagedFile : public Error {
 public:
  using Error::Error;
};

/// The command line or the config is wrong, and no work was started. The program exits with status 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// Exits with `status` without printing a message; the error was already reported.
class ReportedFailure : public std::exception {
 public:
  explicit ReportedFailure(int status) : status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

/// The first line of an error message; in LibTorch's own messages, a stack trace follows.
inline std::string first_line(const std::string& message) { return message.substr(0, message.find('\n')); }

}  // namespace transformer

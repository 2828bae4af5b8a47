#pragma once

#include <stdexcept>
#include <string>

#include "base/format.h"

namespace transformer {

/// What a user can cause and can mend. The message is one sentence: where, what is wrong, what to do.
/// `throw Error(path, ":", line, ": unknown key '", key, "'")`. The program ends with status 1.
class Error : public std::runtime_error {
 public:
  template <class... Parts>
  explicit Error(const Parts&... parts) : std::runtime_error(concat(parts...)) {}
};

/// A file whose bytes are not what was once written.
class DamagedFile : public Error {
 public:
  using Error::Error;
};

/// The call or the config itself is wrong; nothing was started. The program ends with status 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// The work failed, and who saw it has said so: the program ends with `status` and without another word.
class AlreadySaid : public std::exception {
 public:
  explicit AlreadySaid(int status) : status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

}  // namespace transformer

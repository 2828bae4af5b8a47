#pragma once

#include <string>

#include "base/error.h"
#include "base/temporary_directory.h"

namespace transformer {

/// The message of the Error that `action` throws, without the path of the directory; empty if it throws none.
template <class Action>
std::string error_of(const TemporaryDirectory& directory, const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    std::string message = error.what();
    for (size_t at = message.find(directory.path()); at != std::string::npos; at = message.find(directory.path())) {
      message.erase(at, directory.path().size() + 1);
    }
    return message;
  }
  return "";
}

}  // namespace transformer

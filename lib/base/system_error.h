#pragma once

#include <cerrno>
#include <string>

#include "base/error.h"

namespace transformer {

/// The reason why a system call failed with this value of errno, with a remedy where there is one.
std::string system_error_text(int code);
/// Why the last system call failed: system_error_text(errno).
std::string last_system_error();

/// "PATH: cannot be read: ..." with the reason of this value of errno.
Error read_error(const std::string& path, int code = errno);
/// "PATH: cannot be written: ..." with the reason why the last system call failed.
Error write_error(const std::string& path);

}  // namespace transformer

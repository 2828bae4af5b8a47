#pragma once

#include <string>

namespace transformer {

/// The reason why a system call failed with this value of errno, with a remedy where there is one.
std::string system_error_text(int code);
/// That of the last system call.
std::string last_system_error();

}  // namespace transformer

#pragma once

#include <string>

namespace transformer {

/// The reason why the last system call failed (errno), with a remedy where there is one.
std::string last_system_error();

}  // namespace transformer

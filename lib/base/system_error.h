#pragma once

#include <string>

namespace transformer {

/// What the last failed system call said, and what to do about it.
std::string last_system_error();

}  // namespace transformer

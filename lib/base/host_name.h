#pragma once

#include <string>

namespace transformer {

/// This machine's name, for messages.
std::string host_name();

}  // namespace transformer

#pragma once

#include <string>

namespace transformer {

/// Whether LibTorch's Gloo (communication between CPU processes) works here: "works, on eth0" or what is wrong.
std::string gloo_status();

}  // namespace transformer

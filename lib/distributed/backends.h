#pragma once

#include <string>

namespace transformer {

/// Whether LibTorch's Gloo (communication between CPU processes) works here: "works, on tcp, ... iface=lo ..." or what
/// is wrong.
std::string gloo_status();

}  // namespace transformer

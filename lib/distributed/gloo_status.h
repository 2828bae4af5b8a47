#pragma once

#include <string>

namespace transformer {

/// Whether LibTorch's Gloo (communication between CPU processes) works on this machine: "works, on
/// interface lo with address 127.0.0.1" or "does not work: " and the reason.
std::string gloo_status();

}  // namespace transformer

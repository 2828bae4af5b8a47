#pragma once

#include <memory>
#include <vector>

namespace gloo::transport {
class Device;
}

namespace transformer {

/// The network interfaces through which Gloo connects ranks on several machines: those that the environment variable
/// GLOO_SOCKET_IFNAME names, separated by commas, as in Python's PyTorch; without it, the one with the address to which
/// the host name resolves, or 127.0.0.1 if it does not resolve. All ranks must name the same number
/// of interfaces. Throws Error if an
/// interface cannot be used.
std::vector<std::shared_ptr<gloo::transport::Device>> gloo_devices();

}  // namespace transformer

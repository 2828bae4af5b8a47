#define USE_C10D_GLOO
#include "distributed/gloo_devices.h"

#include <cstdlib>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "base/error.h"
#include "base/format.h"
#include "base/words.h"

namespace transformer {

std::vector<std::shared_ptr<gloo::transport::Device>> gloo_devices() {
  using Gloo = c10d::ProcessGroupGloo;
  static constexpr const char* kVariable = "GLOO_SOCKET_IFNAME";
  const char* names = std::getenv(kVariable);
  if (names == nullptr || *names == '\0') return {Gloo::createDefaultDevice()};
  std::vector<std::shared_ptr<gloo::transport::Device>> devices;
  for (const std::string& name : split(names, ',')) {
    try {
      devices.push_back(Gloo::createDeviceForInterface(name));
    } catch (const std::exception&) {
      throw Error(
          "{}: the network interface '{}' is not there or has no address; `ip address` lists those of this machine",
          kVariable, shown_value(name));
    }
  }
  return devices;
}

}  // namespace transformer

#define USE_C10D_GLOO
#include "distributed/gloo_status.h"

#include <fmt/ranges.h>

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "base/error.h"
#include "distributed/gloo_devices.h"

namespace transformer {
namespace {

/// The value of a field in Gloo's description of a device, "tcp, pci=, iface=lo, speed=-1, addr=[127.0.0.1]".
std::string field(const std::string& description, const std::string& name) {
  const size_t found = description.find(name);
  if (found == std::string::npos) return "unknown";
  const size_t begin = found + name.size();
  return description.substr(begin, description.find_first_of(",]", begin) - begin);
}

}  // namespace

std::string gloo_status() {
  try {
    std::vector<std::string> interfaces;
    for (const auto& device : gloo_devices()) {
      const std::string text = device->str();
      interfaces.push_back(fmt::format("{} with address {}", field(text, "iface="), field(text, "addr=[")));
    }
    return fmt::format("works, on interface {}", fmt::join(interfaces, " and "));
  } catch (const std::exception& failure) {
    return "does not work: " + first_line(failure.what());
  }
}

}  // namespace transformer

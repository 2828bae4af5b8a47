#include "base/host_name.h"

#include <unistd.h>

#include <array>

namespace transformer {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace transformer

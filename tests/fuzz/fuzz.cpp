#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "base/log.h"

namespace transformer {

void allow_error(const std::function<void()>& parse) {
  try {
    parse();
  } catch (const Error&) {
  }
}

void require(bool holds) {
  if (!holds) std::abort();
}

InputFile::InputFile(std::string_view content)
    : descriptor_(memfd_create("input", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(descriptor_)) {
  require(write(descriptor_, content.data(), content.size()) == static_cast<ssize_t>(content.size()));
}

InputFile::~InputFile() { close(descriptor_); }

}  // namespace transformer

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  transformer::set_log_level(transformer::LogLevel::error);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  transformer::allow_error([&] { transformer::fuzz({reinterpret_cast<const char*>(data), size}); });
  return 0;
}

// In the place of libtransformer_cuda.so in tests of what the program says about drivers and devices: a machine with
// one device, which the environment variables STAND_IN_DRIVER (such as 12040) and STAND_IN_CAPABILITY (7) describe.

#include "platform/cuda_library.h"

#include <cstdlib>

namespace {

int number_from(const char* variable, int otherwise) {
  const char* value = std::getenv(variable);
  return value == nullptr ? otherwise : std::atoi(value);
}

constexpr size_t kGigabyte = 1000 * 1000 * 1000;

int device_count() { return number_from("STAND_IN_DEVICES", 1); }
transformer::CudaDevice describe(int) {
  return {"NVIDIA Stand-in", {number_from("STAND_IN_CAPABILITY", 9), 0}, 80 * kGigabyte, 30 * kGigabyte};
}
int driver_version() { return number_from("STAND_IN_DRIVER", 13000); }
int runtime_version() { return 13000; }
uint64_t nccl_version() { return 22809; }

}  // namespace

extern "C" __attribute__((visibility("default"))) const transformer::CudaLibrary transformer_cuda_library;
const transformer::CudaLibrary transformer_cuda_library = {device_count, describe, driver_version, runtime_version,
                                                           nccl_version, nullptr,  nullptr};

// In the place of libtransformer_cuda.so: a machine with a GPU that computes on the host (gpu.cpp), which the
// environment variables STAND_IN_DRIVER (such as 12040), STAND_IN_DEVICES (2), STAND_IN_CAPABILITY (7) and
// STAND_IN_COMMIT (of which the library was built) describe.

#include "platform/cuda_library.h"

#include <cstdlib>

#include "base/build_info.h"
#include "collectives.h"
#include "device_memory.h"
#include "failing_operation.h"
#include "host_block.h"
#include "kernels/gpu/kernel_table.h"

namespace {

int number_from(const char* variable, int otherwise) {
  const char* value = std::getenv(variable);
  return value == nullptr ? otherwise : std::atoi(value);
}

constexpr size_t kGigabyte = 1000 * 1000 * 1000;

const char* commit() {
  const char* other = std::getenv("STAND_IN_COMMIT");
  return other == nullptr ? transformer::kBuildInfo.commit : other;
}
int device_count() { return number_from("STAND_IN_DEVICES", 1); }
transformer::CudaDevice describe(int) {
  const auto& memory = transformer::stand_in::DeviceMemory::instance();
  const size_t free_bytes = std::getenv("STAND_IN_MEMORY") ? memory.limit() - memory.used() : 30 * kGigabyte;
  return {"NVIDIA Stand-in", {number_from("STAND_IN_CAPABILITY", 9), 0}, 80 * kGigabyte, free_bytes};
}
int driver_version() { return number_from("STAND_IN_DRIVER", 13000); }
int runtime_version() { return 13000; }
uint64_t nccl_version() { return 22809; }

struct Launcher {
  template <class Kernel>
  static void launch(const Kernel& kernel, const transformer::gpu::Grid& grid) {
    transformer::stand_in::count_operation("a kernel");
    const transformer::stand_in::KernelScope scope;
    transformer::gpu::HostLauncher::launch(kernel, grid);
  }
};

constexpr transformer::gpu::KernelTable kKernels = transformer::gpu::make_kernel_table<Launcher>();

}  // namespace

extern "C" __attribute__((visibility("default"))) const transformer::CudaLibrary transformer_cuda_library;
const transformer::CudaLibrary transformer_cuda_library = {
    commit(), device_count, describe, driver_version, runtime_version, nccl_version, transformer::stand_in::add_nccl,
    &kKernels};

#include "host_kernels.h"

#include "host_block.h"
#include "kernels/gpu/kernel_table.h"

namespace transformer {

const gpu::KernelTable& host_kernels() {
  static constexpr gpu::KernelTable kTable = gpu::make_kernel_table<gpu::HostLauncher>();
  return kTable;
}

}  // namespace transformer

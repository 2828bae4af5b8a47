#pragma once

namespace transformer {

namespace gpu {
struct KernelTable;
}

/// The GPU kernels, which HostLauncher (host_block.h) runs on the host.
const gpu::KernelTable& host_kernels();

}  // namespace transformer

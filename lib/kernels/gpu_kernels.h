#pragma once

#include <ATen/core/Tensor.h>

#include <initializer_list>

namespace transformer {

namespace gpu {
struct KernelTable;
}

/// Runs GPU kernels for tensors in CPU memory, where CPU kernels would run otherwise, by the functions of a table that
/// compute on the host; null ends it. For tests.
void run_gpu_kernels_on_host(const gpu::KernelTable* table);

/// The condition that all operations in ops/ have for their GPU kernels; an operation may add its own, such as a
/// maximum width. All tensors are on a CUDA device (or see run_gpu_kernels_on_host) in fp32, bf16 or fp16.
bool use_gpu_kernel(std::initializer_list<at::Tensor> tensors);

/// The functions that launch kernels on the device of x.
const gpu::KernelTable& gpu_kernels(const at::Tensor& x);

}  // namespace transformer

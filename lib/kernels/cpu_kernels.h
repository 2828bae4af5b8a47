#pragma once

#include <ATen/core/Tensor.h>

#include <initializer_list>

namespace transformer {

/// Switches this program's CPU kernels on (the initial state) or off (`training.cpu_kernels: false`). Without them
/// every operation in ops/ computes with LibTorch's operators alone, which is what the kernels are tested against; only
/// the quantization for oneDNN's int8 products runs in either case.
void enable_cpu_kernels(bool enabled);

/// The rule by which the operations in ops/ decide whether their CPU kernel runs: the kernels are switched on, all
/// tensors are in CPU memory in fp32 or bf16, and each of `vector_sizes`, the sizes that the kernel processes in whole
/// SIMD vectors, is a multiple of kMaxLanes.
bool use_cpu_kernel(std::initializer_list<at::Tensor> tensors, std::initializer_list<int64_t> vector_sizes = {});

}  // namespace transformer

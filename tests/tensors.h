#pragma once

#include <torch/types.h>

#include <vector>

#include "kernels/cpu_kernels.h"
#include "kernels/gpu_kernels.h"
#include "ops/packed_sequence.h"

namespace transformer {

/// The largest difference between two tensors of one shape.
inline double max_difference(const torch::Tensor& a, const torch::Tensor& b) {
  TORCH_CHECK(a.sizes() == b.sizes(), a.sizes(), " and ", b.sizes());
  return a.numel() == 0 ? 0.0 : (a.to(torch::kDouble) - b.to(torch::kDouble)).abs().max().item<double>();
}

/// While it exists, no CPU kernel of this program runs: LibTorch's operators do all the work.
struct PlainOperations {
  PlainOperations() { enable_cpu_kernels(false); }
  ~PlainOperations() { enable_cpu_kernels(true); }
};

/// While it exists, the GPU kernels run on the host instead of the CPU kernels.
struct GpuKernelsOnHost {
  GpuKernelsOnHost() { run_gpu_kernels_on_host(true); }
  ~GpuKernelsOnHost() { run_gpu_kernels_on_host(false); }
};

/// Packs sentences of token ids.
inline PackedSequence sentences(const std::vector<std::vector<int64_t>>& rows) {
  std::vector<torch::Tensor> tokens;
  std::vector<int64_t> lengths;
  for (const auto& row : rows) {
    tokens.push_back(torch::tensor(row));
    lengths.push_back(static_cast<int64_t>(row.size()));
  }
  return {torch::cat(tokens), Packing(lengths)};
}

inline torch::Tensor ids(std::vector<std::vector<int64_t>> rows) {
  std::vector<torch::Tensor> tensors;
  for (const auto& row : rows) tensors.push_back(torch::tensor(row));
  return torch::stack(tensors);
}

}  // namespace transformer

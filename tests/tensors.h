#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include "host_kernels.h"
#include "kernels/cpu_kernels.h"
#include "kernels/gpu_kernels.h"
#include "ops/packed_sequence.h"
#include "platform/device.h"

namespace transformer {

/// The largest difference between two tensors of one shape.
inline double max_difference(const torch::Tensor& a, const torch::Tensor& b) {
  TORCH_CHECK(a.sizes() == b.sizes(), a.sizes(), " and ", b.sizes());
  const auto values = [](const torch::Tensor& x) { return x.to(torch::kCPU, torch::kDouble); };
  return a.numel() == 0 ? 0.0 : (values(a) - values(b)).abs().max().item<double>();
}

/// The largest difference between the parameters of two models.
inline double parameter_difference(const torch::nn::Module& a, const torch::nn::Module& b) {
  const auto ours = a.parameters(), others = b.parameters();
  TORCH_CHECK(ours.size() == others.size(), ours.size(), " and ", others.size());
  double largest = 0;
  for (size_t i = 0; i < ours.size(); ++i) largest = std::max(largest, max_difference(ours[i], others[i]));
  return largest;
}

/// While it exists, no CPU kernel of this program runs: LibTorch's operators do all the work.
struct PlainOperations {
  PlainOperations() { enable_cpu_kernels(false); }
  ~PlainOperations() { enable_cpu_kernels(true); }
};

/// While it exists, GPU kernels run on the host, in the place of CPU kernels. It is for tests that have nothing to run
/// on a GPU, such as those with a stand-in for LibTorch's kernels.
struct HostGpuForm {
  HostGpuForm() { run_gpu_kernels_on_host(&host_kernels()); }
  ~HostGpuForm() { run_gpu_kernels_on_host(nullptr); }
};

/// While it exists, GPU kernels run for tensors on `device()`: a GPU if the environment variable TRANSFORMER_TEST_GPU
/// is set, otherwise the CPU, where they take the place of CPU kernels. Tests that use it have the tag [gpu].
struct GpuForm {
  GpuForm() {
    if (device().is_cpu()) on_host_.emplace();
  }

  static torch::Device device() { return device_; }

 private:
  // When the program starts, because LibTorch looks for CUDA only once, in the first operation that could use it.
  inline static const torch::Device device_ =
      std::getenv("TRANSFORMER_TEST_GPU") ? select_device("cuda") : torch::Device(torch::kCPU);

  std::optional<HostGpuForm> on_host_;
};

/// The forms of an operation: LibTorch's operators, CPU kernels, and GPU kernels (see GpuForm).
enum class Form { plain, cpu, gpu };

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

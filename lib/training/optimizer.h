#pragma once

#include <torch/nn/module.h>

#include <functional>
#include <vector>

#include "distributed/process_group.h"
#include "model/model_file.h"
#include "platform/worker_threads.h"
#include "training/training_config.h"

namespace transformer {

struct AdamOptions {
  double beta1, beta2, epsilon;
  double weight_decay = 0;  // AdamW: each step multiplies all parameters by 1 - learning rate * weight_decay
};

AdamOptions adam_options(const TrainingConfig& config);

/// Adam (§5.3), or AdamW if there is a weight decay, with LibTorch's fused kernel, which makes one pass over
/// parameters, gradients and moments. The update t of a parameter x with gradient g is
///   m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2,
///   x = x - learning_rate * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon).
class Adam {
 public:
  /// With `shard_group`, shards the optimizer over these ranks (ZeRO-1): each rank keeps the moments of its shard of
  /// the parameters' elements, updates this shard, and receives the updated shards of the others. `module` and
  /// `shard_group` must outlive the optimizer.
  /// Its work is divided over `threads`, which must outlive it as well, or done by the calling thread.
  Adam(const torch::nn::Module& module, const AdamOptions& options, const ProcessGroup* shard_group = nullptr,
       WorkerThreads* threads = nullptr);

  /// Updates the parameters once with their current gradients. `skip` and `divisor`, which torch._fused_adam_
  /// calls found_inf and grad_scale, are [] in fp32 on the parameters' device, so that the host need not wait for them.
  /// If `skip` is 1, nothing changes. Gradients are divided by `divisor`, in place.
  void step(double learning_rate, const torch::Tensor& skip = {}, const torch::Tensor& divisor = {});
  /// Releases the gradients, so that the backward pass need not add to zeros.
  void zero_grad();
  /// The Euclidean norm of the gradients of all parameters together: [] in fp64, on the device.
  torch::Tensor gradient_norm() const;

  /// Copies of the complete moments as "first.NAME" and "second.NAME", and of the number of updates as "updates". If
  /// the optimizer is sharded, all ranks call it together, and only the first one gets the state, which is empty on the
  /// others.
  NamedTensors state() const;
  /// Throws Error if a tensor is missing or has another shape; the message names the file `path`.
  void set_state(const NamedTensors& state, const std::string& path);

 private:
  /// The elements [begin, end) of a flattened parameter, which rank `owner` updates.
  struct Range {
    size_t parameter;
    int64_t begin, end;
    int owner;
  };

  void divide_into_ranges();
  int rank() const;
  /// Flat views of the elements in the ranges of a rank; the tensors have the shapes of the parameters.
  std::vector<torch::Tensor> ranges_of(int rank, const std::vector<torch::Tensor>& tensors) const;
  std::vector<torch::Tensor> gradients() const;
  /// Calls work(0) ... work(count - 1) on the threads.
  void for_each(size_t count, const std::function<void(size_t i)>& work) const;
  /// All moments of the parameter with index `parameter`, from all ranks; in the shape of the parameter, on the CPU.
  torch::Tensor gather(const std::vector<torch::Tensor>& moments, size_t parameter) const;

  AdamOptions options_;
  const ProcessGroup* shard_group_;  // null unless sharded
  WorkerThreads* threads_;           // null: the calling thread
  std::vector<std::string> names_;
  std::vector<torch::Tensor> parameters_;
  std::vector<Range> ranges_;                                  // of all ranks, in the order of the parameters
  std::vector<torch::Tensor> first_moments_, second_moments_;  // of this rank's ranges, flat
  std::vector<torch::Tensor> num_updates_;                     // number of updates, one tensor for each of these ranges
};

}  // namespace transformer

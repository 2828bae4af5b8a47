#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <vector>

#include "distributed/gradient_compression.h"
#include "distributed/process_group.h"

namespace transformer {

/// As PyTorch's class of this name: each rank has a replica of the model and a shard of each batch, and LibTorch's
/// c10d::Reducer sums the gradients over the ranks, bucket by bucket, while the backward pass still runs. All replicas
/// start with rank 0's parameters. The constructor, begin_step and backward throw LostConnection if another rank has
/// failed.
class DistributedDataParallel {
 public:
  /// Both must outlive this object.
  DistributedDataParallel(torch::nn::Module& module, const ProcessGroup& group,
                          GradientCompression compression = GradientCompression::none);
  ~DistributedDataParallel();

  const ProcessGroup& group() const { return group_; }

  /// Every rank calls this before its first forward pass of a step, and again if it repeats the step. It begins no
  /// collective, because the watchdog compares how many the ranks have begun.
  void begin_step(int64_t step);
  /// Whether this rank may begin the step again: until its last backward pass, because then the other ranks wait for
  /// its gradients, or the optimizer may have changed parameters.
  bool can_repeat_step() const { return can_repeat_step_; }
  /// Adds the gradients of `loss` [], this micro-batch's share of the step's loss, to those of the parameters. With
  /// `sum_gradients`, for this rank's last micro-batch of the step, it also sums the gradients over the ranks; every
  /// rank does so once in a step.
  void backward(const torch::Tensor& loss, bool sum_gradients);
  /// Sums the gradients over the ranks, for a rank whose micro-batches of the step, if it has any, were computed
  /// without `backward`.
  void sum_gradients();

 private:
  /// A loss [] in fp32 whose gradients are all 0.
  torch::Tensor zero_loss() const;

  const ProcessGroup& group_;
  std::vector<torch::Tensor> parameters_;
  bool can_repeat_step_ = false;
  struct Reducer;
  std::unique_ptr<Reducer> reducer_;  // null in a world of one rank
};

}  // namespace transformer

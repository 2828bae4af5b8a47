#pragma once

#include <torch/torch.h>

#include <memory>
#include <vector>

#include "distributed/gradient_compression.h"
#include "distributed/process_group.h"

namespace transformer {

/// When a bucket of gradients was summed over the ranks, in seconds from the beginning of the backward pass.
struct BucketTimes {
  int64_t bytes = 0;
  double begin = 0, end = 0;
};

/// DistributedDataParallel: gradients become their sum over all ranks while the backward pass still runs, in buckets,
/// by LibTorch's c10d::Reducer. The parameters are rank 0's from the start.
class DataParallel {
 public:
  /// Both must outlive this.
  DataParallel(torch::nn::Module& module, const ProcessGroup& group,
               GradientCompression compression = GradientCompression::none);
  ~DataParallel();

  const ProcessGroup& group() const { return group_; }

  /// To be called by every rank before its first forward pass of a step.
  void begin_step();
  /// Adds the loss's gradients to the parameters'; with the step's last one of this rank (`is_last`) they are summed
  /// over the ranks. Every rank calls it once with `is_last`. Throws LostConnection.
  void backward(const torch::Tensor& loss, bool is_last);
  /// A loss that changes no gradient, for a rank with nothing to do in a step.
  torch::Tensor no_loss() const;

  /// Of the last backward pass that summed gradients, and how long it took (on a CPU; a GPU works behind the program).
  std::vector<BucketTimes> bucket_times() const;
  double backward_seconds() const { return backward_seconds_; }

 private:
  const ProcessGroup& group_;
  std::vector<torch::Tensor> parameters_;
  double backward_seconds_ = 0;
  struct Reducer;
  std::unique_ptr<Reducer> reducer_;  // null in a world of one
};

}  // namespace transformer

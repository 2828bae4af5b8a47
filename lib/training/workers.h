#pragma once

#include <functional>
#include <vector>

#include "model/transformer.h"
#include "platform/worker_threads.h"

namespace transformer {

/// Compute the micro-batches of a training step side by side on the cores of a CPU, forward and backward pass, each
/// worker with one thread or a few. They share the parameters; each has the gradients of its own micro-batch only.
/// Workers that are slowed down by other programs compute fewer micro-batches.
class Workers {
 public:
  /// As many workers as `count`, which share the calling thread's LibTorch threads. One worker is the calling thread.
  Workers(const Transformer& model, int count);

  int size() const { return threads_.size(); }
  WorkerThreads& threads() { return threads_; }

  /// Computes the loss of the micro-batch i with this copy of the model: []. Several threads call it at once.
  using MicroBatchLoss = std::function<torch::Tensor(Transformer& model, int64_t i)>;
  /// Adds the gradients of `count` micro-batches to those of the model, in the order of the micro-batches, so that the
  /// sum does not depend on the workers. Rethrows what `loss` throws.
  void add_gradients(int64_t count, const MicroBatchLoss& loss);

 private:
  Transformer model_;
  WorkerThreads threads_;
  std::vector<Transformer> copies_;  // for each of several workers, a model with the same parameters
};

}  // namespace transformer

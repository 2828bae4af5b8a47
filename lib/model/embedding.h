#pragma once

#include <torch/torch.h>

#include <memory>

#include "ops/packed_weight.h"

namespace transformer {

/// The one matrix that source, target and the output projection share (§3.4).
class EmbeddingImpl : public torch::nn::Module {
 public:
  EmbeddingImpl(int64_t vocabulary_size, int64_t d_model);

  /// tokens [positions]. Returns the rows times sqrt(d_model): [positions, d_model].
  torch::Tensor forward(const torch::Tensor& tokens);

  /// The pre-softmax linear transformation: x [..., d_model]. Returns logits [..., vocab].
  torch::Tensor project(const torch::Tensor& x);

  /// From now on it only runs, with the projection's matrix in this type and the rows in row_type's; `weight` may be
  /// gone.
  void pack(WeightType type);

  const torch::Tensor& weight() const { return weight_; }  // [vocab, d_model]
  int64_t vocabulary_size() const { return vocabulary_size_; }
  /// Where it runs: a packed weight that has rows is the CPU's.
  torch::Device device() const { return weight_.defined() ? weight_.device() : torch::kCPU; }

 private:
  torch::Tensor rows(const torch::Tensor& tokens);

  int64_t vocabulary_size_, d_model_;
  torch::Tensor weight_;
  std::unique_ptr<const PackedWeight> packed_;
};
TORCH_MODULE(Embedding);

}  // namespace transformer

#pragma once

#include <torch/torch.h>

#include <vector>

#include "ops/packing.h"

namespace transformer {

/// Says, while it lives, what this thread's dropout follows from: sentence b of the batch loses what `seed`, the
/// sentence's key and the number of the dropout within the scope say. So a sentence meets the same masks in whatever
/// batch it stands, beside whatever others. Forward passes belong inside; there is one scope at a time.
class DropoutScope {
 public:
  DropoutScope(uint64_t seed, const std::vector<int64_t>& keys);
  ~DropoutScope();
  DropoutScope(const DropoutScope&) = delete;
  DropoutScope& operator=(const DropoutScope&) = delete;

  /// What the next dropout's masks of the sentences follow from: [B].
  torch::Tensor next_seeds();

 private:
  uint64_t seed_, num_dropouts_ = 0;
  std::vector<uint64_t> keys_;
};

/// What the next dropout of a batch with so many sentences follows from: the DropoutScope, or without one a number
/// drawn from LibTorch's default generator. [sentences]
torch::Tensor next_seeds(int64_t sentences);

/// Dropout (§5.4): each element zero with probability `p`, divided by 1 - p otherwise. x [positions, width]. Which ones
/// follows from `next_seeds` and the element's place in its sentence, so the mask is never stored: the backward pass
/// makes it again, and threads share the work. Where `training` is false, x itself.
torch::Tensor counter_dropout(const torch::Tensor& x, const Packing& packing, double p, bool training);

/// Dropout on attention weights [B, h, T, S], always on: each row of weights follows from the sentence, the head and
/// the place of the query, so that neither T nor S, which depend on the sentence's neighbours, change a mask.
torch::Tensor attention_dropout(const torch::Tensor& weights, double p);

/// The same mask from LibTorch's own operations, on any device and in any precision, with the sentences' seeds [B]:
/// what the kernel is tested against.
torch::Tensor plain_dropout(const torch::Tensor& x, const Packing& packing, double p, const torch::Tensor& seeds);

}  // namespace transformer

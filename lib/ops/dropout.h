#pragma once

#include <torch/torch.h>

#include <vector>

namespace transformer {

/// Says, while it lives, what this thread's dropout follows from: in every tensor row b, which belongs to sentence b of
/// the batch, drops what `seed`, the sentence's key and the number of the dropout within the scope say. So a sentence
/// meets the same masks in whatever batch it stands, beside whatever others. Forward passes belong inside; there is one
/// scope at a time.
class DropoutScope {
 public:
  DropoutScope(uint64_t seed, const std::vector<int64_t>& keys);
  ~DropoutScope();
  DropoutScope(const DropoutScope&) = delete;
  DropoutScope& operator=(const DropoutScope&) = delete;

  /// What the rows of the next dropout begin with: [B].
  torch::Tensor next_row_seeds();

 private:
  uint64_t seed_, num_dropouts_ = 0;
  std::vector<uint64_t> keys_;
};

/// Dropout (§5.4): each element zero with probability `p`, divided by 1 - p otherwise. x [B, ...]. Which ones follows
/// from the DropoutScope, or without one from a number drawn from LibTorch's default generator, and from the element's
/// place in its row, so the mask is never stored: the backward pass makes it again, and threads share the work. Where
/// `training` is false, x itself.
torch::Tensor counter_dropout(const torch::Tensor& x, double p, bool training);

/// Dropout on attention weights [B, h, T, S], always on: each row of weights follows from the sentence, the head and
/// the place of the query, so that neither T nor S, which depend on the sentence's neighbours, change a mask.
torch::Tensor attention_dropout(const torch::Tensor& weights, double p);

/// The same mask from LibTorch's own operations, on any device and in any precision, with the rows' seeds [B]: what the
/// kernel is tested against.
torch::Tensor plain_dropout(const torch::Tensor& x, double p, const torch::Tensor& row_seeds);

}  // namespace transformer

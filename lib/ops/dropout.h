#pragma once

#include <torch/types.h>

#include <vector>

#include "kernels/dropout_mask.h"
#include "ops/packed_sequence.h"

namespace transformer {

/// Determines this thread's dropout while it exists: the mask of sequence b follows from `seed`, keys[b] and the number
/// of dropouts since the scope began. A sentence thus gets the same masks whatever batch it is in (Deviation D14).
/// Forward passes belong inside; scopes cannot be nested.
class DropoutScope {
 public:
  /// `keys`: a number for each sequence of the batch, such as the index of the sentence pair.
  DropoutScope(uint64_t seed, const std::vector<int64_t>& keys);
  ~DropoutScope();
  DropoutScope(const DropoutScope&) = delete;
  DropoutScope& operator=(const DropoutScope&) = delete;

  /// Begins the next dropout and returns its seed (DropoutSeeds::call_seed).
  uint64_t next_call_seed();
  /// The keys of DropoutSeeds: int64 [B], on the device.
  torch::Tensor keys(torch::Device device);

 private:
  uint64_t seed_, num_dropouts_ = 0;
  torch::Tensor keys_;
};

/// The seeds and the mask of the next dropout on a packed batch: they come from the DropoutScope, or without one from
/// LibTorch's default generator. p is the probability with which an element is dropped; with 0 nothing is drawn.
DropoutSeeds next_dropout_seeds(const Packing& packing, double p);
DropoutMask next_dropout_mask(const Packing& packing, double p);

/// Dropout (§5.4) on x [positions, width]: each element is zero with probability p, else divided by 1 - p. The mask
/// follows from the sequence's seed and the element's index in its sequence, so it is not stored: the backward pass
/// computes it again, and it does not depend on the number of threads. With p = 0 returns x.
PackedSequence dropout(const PackedSequence& x, double p);

/// Dropout on x [rows, width] with a given mask; `plain_dropout` computes the same with LibTorch's operators, on any
/// device and in any precision.
torch::Tensor dropout(const torch::Tensor& x, const DropoutMask& mask);
torch::Tensor plain_dropout(const torch::Tensor& x, const DropoutMask& mask);

/// Dropout on attention weights [B, h, T, S]. The mask of a row follows from the sequence, the head and the query's
/// position, so it does not depend on T and S, which other sequences of the batch determine.
torch::Tensor attention_dropout(const torch::Tensor& weights, const DropoutSeeds& seeds);

}  // namespace transformer

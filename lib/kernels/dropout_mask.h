#pragma once

#include <torch/types.h>

#include <cstdint>

#include "base/splitmix64.h"

namespace transformer {

/// An element is dropped if its random bits are below this.
inline uint32_t dropout_threshold(double p) { return static_cast<uint32_t>(p * 4294967296.0); }

/// The factor of the elements that are kept, so that the mean of an element stays as it is.
inline double dropout_scale(double p) { return 1.0 / (1.0 - p); }

/// What determines the dropout masks of the sequences of a batch in one call of dropout. The seed of sequence b is
/// sequence_seed(call_seed, keys[b]) (dropout_hash.h).
struct DropoutSeeds {
  double p = 0;            // 0: no dropout, and the rest is not set
  uint64_t call_seed = 0;  // unique to this call of dropout in the training run
  torch::Tensor keys;      // int64 [sequences]: from the sentence pairs, so that masks do not depend on the batch
};

/// What determines the dropout mask of a tensor [rows, width].
struct DropoutMask : DropoutSeeds {
  torch::Tensor sequence_ids;  // int64 [rows]: the sequence that the row belongs to
  torch::Tensor position_ids;  // int64 [rows]: the position of the row in its sequence
};

/// The seed of one query's attention weights in one head.
inline uint64_t attention_seed(uint64_t sequence_seed, int64_t head, int64_t query) {
  return splitmix64(sequence_seed ^ splitmix64(static_cast<uint64_t>(head << 32 | query)));
}

}  // namespace transformer

#pragma once

#include <torch/types.h>

#include "ops/packed_sequence.h"

namespace transformer {

/// Slots of a cache that are about to be filled, and the number of slots that the cache must have by then.
struct NewSlots {
  torch::Tensor slots;  // int64 [rows], all below `capacity`
  int64_t capacity;
};

/// The slots of one decoding step.
struct StepSlots {
  NewSlots new_slots;      // one for each row
  PackedSequence visible;  // the slots that each row attends to: int64 [listed slots], a sequence for each row
};

/// The keys and values of one attention layer during a search, each in a slot of its own.
class KeyValueCache {
 public:
  /// Keys and values are stored in this data type.
  explicit KeyValueCache(torch::ScalarType type) : type_(type) {}

  /// Stores key [rows, h, d_k] and value [rows, h, d_v].
  void store(const NewSlots& slots, const torch::Tensor& key, const torch::Tensor& value);

  const torch::Tensor& key() const { return key_; }      // [capacity, h, d_k]
  const torch::Tensor& value() const { return value_; }  // [capacity, h, d_v]

 private:
  torch::ScalarType type_;
  torch::Tensor key_, value_;
};

}  // namespace transformer

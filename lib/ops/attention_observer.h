#pragma once

#include <functional>

#include "ops/attention.h"

namespace transformer {

/// Sees query, key and mask of each `scaled_dot_product_attention` that this thread computes, so that the weights can
/// be looked at (`attention_weights`) although a kernel that computes the output does not keep them. It observes while
/// it exists; a newer observer of the same thread takes the place of an older one until it is destroyed.
class AttentionObserver {
 public:
  using Callback =
      std::function<void(const PackedSequence& query, const PackedSequence& key, const AttentionMask& mask)>;

  explicit AttentionObserver(Callback callback);
  ~AttentionObserver();
  AttentionObserver(const AttentionObserver&) = delete;
  AttentionObserver& operator=(const AttentionObserver&) = delete;

  /// Calls this thread's observer, if there is one.
  static void notify(const PackedSequence& query, const PackedSequence& key, const AttentionMask& mask);

 private:
  Callback callback_;
  AttentionObserver* previous_;
};

}  // namespace transformer

#pragma once

#include <functional>

#include "ops/attention.h"

namespace transformer {

/// While it exists, `callback` receives query, key and mask of every `scaled_dot_product_attention` of this thread,
/// from which `attention_weights` computes the weights that the kernels do not keep. A newer observer of the same
/// thread takes the place of an older one until it is destroyed.
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

#pragma once

#include <cmath>

#include "kernels/gpu/block.h"

namespace transformer::gpu {

/// Softmax statistics of a set of logits: the largest, the sum of e^(logit - largest), and the sum.
struct LogitSums {
  float largest, exponentials, sum;

  /// The logarithm of the sum of e^logit, the softmax's denominator.
  TRANSFORMER_GPU float logsumexp() const { return largest + logf(exponentials); }
};

struct AddLogitSums {
  TRANSFORMER_GPU LogitSums operator()(LogitSums a, LogitSums b) const {
    if (b.largest > a.largest) {
      const LogitSums less = a;
      a = b;
      b = less;
    }
    if (b.exponentials == 0) return {a.largest, a.exponentials, a.sum + b.sum};  // b.largest may be -infinity
    return {a.largest, a.exponentials + b.exponentials * expf(b.largest - a.largest), a.sum + b.sum};
  }
};

/// The LogitSums of a row of logits, of which each thread reads n neighboring ones at a time.
template <int n, class Block, class Element>
TRANSFORMER_GPU LogitSums sum_logits(Block& block, const Element* logits, int vocabulary_size) {
  return block.reduce(vocabulary_size / n, LogitSums{-INFINITY, 0, 0}, AddLogitSums(), [&](int vector) {
    const Floats<n> values = load<n>(logits + vector * n);
    float largest = values[0];
    for (int i = 1; i < n; ++i) largest = values[i] > largest ? values[i] : largest;
    // If all are -infinity, the difference is not a number.
    const auto exponentials =
        generate<n>([&](int i) { return values[i] == -INFINITY ? 0.0f : expf(values[i] - largest); });
    return LogitSums{largest, exponentials.sum(), values.sum()};
  });
}

}  // namespace transformer::gpu

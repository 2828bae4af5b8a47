#pragma once

#include <cstdint>

#include "kernels/cpu/simd.h"

namespace transformer::cpu {

// The softmax of a row in fp32.

/// The largest of x [count]; `count` is a multiple of kLanes<Floats>.
template <class Floats>
[[gnu::always_inline]] inline float max_of(const float* x, int64_t count) {
  Floats largest, values;
  load(largest, x);
  for (int64_t j = kLanes<Floats>; j < count; j += kLanes<Floats>) {
    load(values, x + j);
    maximum(largest, values);
  }
  return horizontal_max(largest);
}

/// Replaces each x [count] by e^(x - shift) and returns their sum; `count` is a multiple of kLanes<Floats>.
template <class Floats>
[[gnu::always_inline]] inline float exponentiate(float* x, float shift, int64_t count) {
  Floats sums = {}, values;
  for (int64_t j = 0; j < count; j += kLanes<Floats>) {
    load(values, x + j);
    values -= shift;
    exponential(values);
    store(x + j, values);
    sums += values;
  }
  return horizontal_sum(sums);
}

/// A row of attention scores x [count], of which x[begin] ... x[end - 1] are visible to the query; `count` is a
/// multiple of kMaxLanes.
struct ScoreRow {
  float* x;
  int64_t begin, end, count;
};

/// The visible scores become their softmax, the others 0. Returns the log of the sum of e^x over the visible scores.
float softmax(const ScoreRow& row);

/// The visible scores become e^(x - logsumexp), the others 0: recomputes the softmax from the log of its sum.
void softmax_from_logsumexp(const ScoreRow& row, float logsumexp);

}  // namespace transformer::cpu

#pragma once

#include <cstdint>

#include "kernels/cpu/simd.h"

namespace transformer::cpu {

// The softmax of a row in fp32. `count` is a multiple of kMaxLanes wherever it stands for whole SIMD vectors.

/// The largest of x [count], whole vectors.
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

/// x [count], whole vectors, becomes e^(x - shift). Returns the sum.
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

/// A row of attention scores x [count], whole vectors, of which x[begin] ... x[end - 1] are visible to the query.
struct ScoreRow {
  float* x;
  int64_t begin, end, count;
};

/// The visible scores become their softmax, the others 0. Returns the log of the sum of e^x over the visible scores.
float softmax(const ScoreRow& row);

/// The visible scores become e^(x - logsumexp), the others 0: recomputes the softmax from the log of its sum.
void softmax_from_logsumexp(const ScoreRow& row, float logsumexp);

}  // namespace transformer::cpu

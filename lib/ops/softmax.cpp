#include "ops/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/vector_math.h"

namespace transformer {
namespace {

[[gnu::always_inline]] inline void exponentials_of(float* x, float shift, int64_t seen, int64_t count) {
  for (int64_t j = 0; j < seen; j += kLanes) {
    Floats values;
    load(values, x + j);
    values -= shift;
    exponential(values);
    store(x + j, values);
  }
  std::fill(x + seen, x + count, 0.0F);
}

}  // namespace

TRANSFORMER_FOR_EACH_PROCESSOR void exponentials(float* x, float shift, int64_t seen, int64_t count) {
  exponentials_of(x, shift, seen, count);
}

TRANSFORMER_FOR_EACH_PROCESSOR float softmax(float* x, int64_t seen, int64_t count) {
  std::fill(x + seen, x + count, -std::numeric_limits<float>::infinity());
  Floats largest_values, values, sums = {};
  load(largest_values, x);
  for (int64_t j = kLanes; j < count; j += kLanes) {
    load(values, x + j);
    keep_larger(largest_values, values);
  }
  const float largest = largest_of(largest_values);
  exponentials_of(x, largest, seen, count);
  for (int64_t j = 0; j < count; j += kLanes) {
    load(values, x + j);
    sums += values;
  }
  const float sum = sum_of(sums);
  for (int64_t j = 0; j < count; j += kLanes) {
    load(values, x + j);
    values /= sum;
    store(x + j, values);
  }
  return largest + std::log(sum);
}

}  // namespace transformer

#include "kernels/cpu/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace transformer::cpu {
namespace {

/// The whole vectors that hold a row's visible scores.
template <class Floats>
struct VisibleVectors {
  int64_t first, last;

  explicit VisibleVectors(const ScoreRow& row)
      : first(row.begin / kLanes<Floats> * kLanes<Floats>), last(round_up_to_lanes<Floats>(row.end)) {}
};

[[gnu::always_inline]] inline void clear_hidden(const ScoreRow& row) {
  std::fill(row.x, row.x + row.begin, 0.0F);
  std::fill(row.x + row.end, row.x + row.count, 0.0F);
}

template <class Floats>
[[gnu::always_inline]] inline void softmax_from_logsumexp_of(const ScoreRow& row, float logsumexp) {
  const VisibleVectors<Floats> visible(row);
  exponentiate<Floats>(row.x + visible.first, logsumexp, visible.last - visible.first);
  clear_hidden(row);
}

template <class Floats>
[[gnu::always_inline]] inline float softmax_of(const ScoreRow& row) {
  static constexpr float kHidden = -std::numeric_limits<float>::infinity();
  const VisibleVectors<Floats> visible(row);
  float* first = row.x + visible.first;
  const int64_t count = visible.last - visible.first;
  std::fill(first, row.x + row.begin, kHidden);
  std::fill(row.x + row.end, row.x + visible.last, kHidden);
  const float largest = max_of<Floats>(first, count);
  const float sum = exponentiate<Floats>(first, largest, count);
  clear_hidden(row);
  for (int64_t j = visible.first; j < visible.last; j += kLanes<Floats>) {
    Floats values;
    load(values, row.x + j);
    values /= sum;
    store(row.x + j, values);
  }
  return largest + std::log(sum);
}

}  // namespace

float softmax(const ScoreRow& row) { return TRANSFORMER_SIMD(return softmax_of<Floats>(row)); }

void softmax_from_logsumexp(const ScoreRow& row, float logsumexp) {
  TRANSFORMER_SIMD(softmax_from_logsumexp_of<Floats>(row, logsumexp));
}

}  // namespace transformer::cpu

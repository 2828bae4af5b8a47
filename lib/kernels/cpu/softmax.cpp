#include "kernels/cpu/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace transformer {
namespace {

/// The whole vectors that hold a row's visible scores.
struct VisibleVectors {
  int64_t first, last;

  explicit VisibleVectors(const ScoreRow& row) : first(row.begin / kLanes * kLanes), last(round_up_to_lanes(row.end)) {}
};

[[gnu::always_inline]] inline void clear_hidden(const ScoreRow& row) {
  std::fill(row.x, row.x + row.begin, 0.0F);
  std::fill(row.x + row.end, row.x + row.count, 0.0F);
}

}  // namespace

TRANSFORMER_TARGET_CLONES void softmax_from_log_sum(const ScoreRow& row, float log_sum) {
  const VisibleVectors visible(row);
  exponentiate(row.x + visible.first, log_sum, visible.last - visible.first);
  clear_hidden(row);
}

TRANSFORMER_TARGET_CLONES float softmax(const ScoreRow& row) {
  static constexpr float kHidden = -std::numeric_limits<float>::infinity();
  const VisibleVectors visible(row);
  float* first = row.x + visible.first;
  const int64_t count = visible.last - visible.first;
  std::fill(first, row.x + row.begin, kHidden);
  std::fill(row.x + row.end, row.x + visible.last, kHidden);
  const float largest = max_of(first, count);
  const float sum = exponentiate(first, largest, count);
  clear_hidden(row);
  for (int64_t j = visible.first; j < visible.last; j += kLanes) {
    Floats values;
    load(values, row.x + j);
    values /= sum;
    store(row.x + j, values);
  }
  return largest + std::log(sum);
}

}  // namespace transformer

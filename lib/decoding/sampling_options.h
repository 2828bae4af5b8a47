#pragma once

#include <cstdint>

namespace transformer {

/// How outputs are sampled.
struct SamplingOptions {
  double temperature = 1;  // below 1: likely tokens become more likely
  int64_t top_k = 0;       // sample from this many most likely tokens; 0: from all
  double top_p = 1;        // of these, from the fewest most likely ones whose probabilities sum to at least this share
  uint64_t seed = 1;

  bool operator==(const SamplingOptions&) const = default;
};

}  // namespace transformer

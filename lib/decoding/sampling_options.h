#pragma once

#include <cstdint>

namespace transformer {

/// How outputs are sampled.
struct SamplingOptions {
  double temperature = 1;  // below 1: likely tokens become more likely
  int64_t top_k = 0;       // sample from this many most likely tokens; 0: from all
  uint64_t seed = 1;
};

}  // namespace transformer

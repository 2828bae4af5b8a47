#pragma once

#include <chrono>

namespace transformer {

/// How long ranks wait.
struct RankTimeouts {
  std::chrono::seconds start{120};  // for each other when they start
  std::chrono::seconds step{600};   // for progress in a step, after which a rank hangs; c10d's default for NCCL, too
};

}  // namespace transformer

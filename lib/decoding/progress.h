#pragma once

#include <cstdint>

namespace transformer {

/// How far a hypothesis has come towards the goals of logits processors, such as words that an output should have.
struct Progress {
  int64_t reached = 0;  // goals
  int64_t begun = 0;    // tokens of a goal with which the hypothesis has just begun

  bool operator==(const Progress&) const = default;
};

}  // namespace transformer

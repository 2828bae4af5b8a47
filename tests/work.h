#pragma once

#include "training/trainer.h"

namespace transformer {

/// A step of one rank alone, over these slices.
inline StepWork work_of(const Corpus& corpus, const std::vector<std::vector<int64_t>>& slices) {
  StepWork work{.slices = slices};
  for (const auto& slice : slices) {
    for (const int64_t pair : slice) work.target_tokens += target_tokens(corpus[pair]);
  }
  return work;
}

}  // namespace transformer

#pragma once

#include "base/error.h"

namespace transformer {

/// The model's scores of the next token are NaN or infinite, so that there is no best one.
class NonFiniteScores : public Error {
 public:
  NonFiniteScores()
      : Error(
            "the model's scores are NaN or infinite, so it cannot translate; use a checkpoint from before its training "
            "diverged, or --precision fp32 if another precision was given") {}
};

}  // namespace transformer

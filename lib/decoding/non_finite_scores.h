#pragma once

#include "base/error.h"

namespace transformer {

/// The model's scores of tokens are NaN or infinite, so that they say nothing.
class NonFiniteScores : public Error {
 public:
  NonFiniteScores()
      : Error(
            "the model's scores are NaN or infinite; use a checkpoint from before its training diverged, or "
            "--precision fp32 if another precision was given") {}
};

}  // namespace transformer

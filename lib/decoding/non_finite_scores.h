#pragma once

#include <cmath>

#include "base/error.h"

namespace transformer {

/// The model's scores of tokens are NaN or infinite, so that they say nothing.
class NonFiniteScores : public Error {
 public:
  NonFiniteScores()
      : Error(
            "the model's scores are NaN or infinite; use a checkpoint from before its training diverged, or the "
            "precision fp32 if another one was given") {}
};

/// Throws NonFiniteScores if the log-probability of a row's best or drawn token is not finite: a single logit that is
/// NaN or +infinity makes all log-probabilities of its row NaN or -infinity.
inline void check_is_finite(double log_prob) {
  if (!std::isfinite(log_prob)) throw NonFiniteScores();
}

}  // namespace transformer

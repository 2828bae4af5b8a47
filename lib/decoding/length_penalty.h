#pragma once

#include <array>
#include <cstdint>

#include "base/enum_names.h"

namespace transformer {

/// The form of the length penalty. The paper uses `gnmt` (§6.1, after Wu et al. 2016).
enum class LengthPenaltyForm { gnmt, average, none };

template <>
struct EnumNames<LengthPenaltyForm> {
  static constexpr std::array names = {"gnmt", "average", "none"};
};

struct LengthPenalty {
  LengthPenaltyForm form = LengthPenaltyForm::gnmt;
  double alpha = 0;

  /// gnmt: ((5 + length) / 6)^alpha; average: length^alpha; none: 1. `length` counts the end symbol. With alpha >= 0
  /// it never decreases with the length.
  double operator()(int64_t length) const;

  /// The score by which hypotheses of this log-probability and length are compared (§6.1): log P(y|x) / penalty(|y|).
  double score(double log_prob, int64_t length) const { return log_prob / (*this)(length); }
};

}  // namespace transformer

#pragma once

#include <array>
#include <cstdint>

#include "base/fields.h"

namespace transformer {

/// By what a hypothesis's log-probability is divided. gnmt is the paper's (§6.1, after Wu et al. 2016).
enum class LengthPenaltyForm { gnmt, average, none };

template <>
struct EnumNames<LengthPenaltyForm> {
  static constexpr std::array names = {"gnmt", "average", "none"};
};

struct LengthPenalty {
  LengthPenaltyForm form = LengthPenaltyForm::gnmt;
  double alpha = 0;

  /// gnmt: ((5 + length) / 6)^alpha; average: length^alpha; none: 1. Never falls with the length, which counts the end
  /// symbol.
  double operator()(int64_t length) const;
};

}  // namespace transformer

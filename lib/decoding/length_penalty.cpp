#include "decoding/length_penalty.h"

#include <cmath>

namespace transformer {

double LengthPenalty::operator()(int64_t length) const {
  const auto n = static_cast<double>(length);
  if (form == LengthPenaltyForm::none) return 1;
  return std::pow(form == LengthPenaltyForm::average ? n : (5 + n) / 6, alpha);
}

}  // namespace transformer

#include "decoding/length_penalty.h"

#include "catch.h"

namespace transformer {

TEST_CASE("length penalty is ((5 + length) / 6) ^ alpha, length ^ alpha, or none") {
  const auto gnmt = [](int64_t length, double alpha) { return LengthPenalty{LengthPenaltyForm::gnmt, alpha}(length); };
  CHECK(gnmt(1, 0.6) == Approx(1.0));
  CHECK(gnmt(7, 1.0) == Approx(2.0));
  CHECK(gnmt(100, 0.0) == Approx(1.0));
  CHECK(gnmt(19, 0.5) == Approx(2.0));
  CHECK(LengthPenalty{LengthPenaltyForm::average, 1.0}(19) == Approx(19.0));
  CHECK(LengthPenalty{LengthPenaltyForm::average, 0.5}(16) == Approx(4.0));
  CHECK(LengthPenalty{LengthPenaltyForm::none, 0.6}(19) == 1.0);
}

}  // namespace transformer

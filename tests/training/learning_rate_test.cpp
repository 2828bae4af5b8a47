#include "training/learning_rate.h"

#include "catch.h"

namespace transformer {

TEST_CASE("the learning rate is Equation 3: linear during warm-up, then proportional to the inverse square root") {
  CHECK(learning_rate(1, 512, 4000) == Approx(1.7469e-7).epsilon(1e-4));
  CHECK(learning_rate(4000, 512, 4000) == Approx(6.9877e-4).epsilon(1e-4));
  CHECK(learning_rate(2000, 512, 4000) == Approx(learning_rate(4000, 512, 4000) / 2));
  CHECK(learning_rate(16000, 512, 4000) == Approx(learning_rate(4000, 512, 4000) / 2));
  CHECK(learning_rate(100, 2048, 4000) == Approx(learning_rate(100, 512, 4000) / 2));
}

}  // namespace transformer

#include "settings/range.h"

#include "catch.h"

namespace transformer {

TEST_CASE("range contains its limits only if it includes them") {
  const Range probability = {.least = 0, .most = 1, .includes_most = false};
  CHECK(probability.contains(0));
  CHECK_FALSE(probability.contains(1));
  CHECK_FALSE(probability.contains(-0.1));
  CHECK(probability.text() == "at least 0 and below 1");
  const Range positive = {.least = 0, .includes_least = false};
  CHECK_FALSE(positive.contains(0));
  CHECK(positive.contains(1e-9));
  CHECK(positive.text() == "above 0");
  const Range share = {.least = 0, .most = 1, .includes_least = false};
  CHECK(share.contains(1));
  CHECK(share.text() == "above 0 and at most 1");
  CHECK(Range{.least = 1e-20, .most = 1e9, .includes_least = false}.text() == "above 1e-20 and at most 1000000000");
  CHECK(Range{.least = 8}.text() == "at least 8");
  CHECK(Range{.least = 1, .most = 9}.text() == "from 1 to 9");
  CHECK(Range{.least = 0.98, .most = 1 << 20}.text() == "from 0.98 to 1048576");
}

}  // namespace transformer

#include "distributed/awake_clock.h"

#include "catch.h"

namespace transformer {

TEST_CASE("the awake clock stands still during a suspension") {
  using std::chrono::milliseconds;
  const AwakeClock::Time start;
  AwakeClock clock(start);
  CHECK(clock.now() == start);
  AwakeClock::Time time = start;
  for (int tick = 0; tick < 100; ++tick) CHECK_FALSE(clock.tick(time += milliseconds(500)));
  CHECK(clock.now() == start + milliseconds(50000));
  CHECK(clock.num_suspensions() == 0);

  CHECK(clock.tick(time += std::chrono::hours(10)));
  CHECK(clock.now() == start + milliseconds(50000) + AwakeClock::kLongestInterval);
  CHECK(clock.num_suspensions() == 1);

  CHECK_FALSE(clock.tick(time += milliseconds(500)));
  CHECK(clock.now() == start + milliseconds(50500) + AwakeClock::kLongestInterval);
  CHECK(clock.num_suspensions() == 1);
}

}  // namespace transformer

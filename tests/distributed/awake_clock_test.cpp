#include "distributed/awake_clock.h"

#include "catch.h"

namespace transformer {

TEST_CASE("the awake clock stands still during a suspension") {
  using std::chrono::milliseconds;
  const AwakeClock::Time start;
  AwakeClock clock(start);
  CHECK(clock.now() == start);
  AwakeClock::Time time = start;
  for (int tick = 0; tick < 100; ++tick) CHECK_FALSE(clock.tick(time += milliseconds(500), milliseconds(0)));
  CHECK(clock.now() == start + milliseconds(50000));
  CHECK(clock.num_suspensions() == 0);

  CHECK(clock.tick(time += std::chrono::hours(10), milliseconds(0)));
  CHECK(clock.now() == start + milliseconds(50000) + AwakeClock::kLongestInterval);
  CHECK(clock.num_suspensions() == 1);

  CHECK_FALSE(clock.tick(time += milliseconds(500), milliseconds(0)));
  CHECK(clock.now() == start + milliseconds(50500) + AwakeClock::kLongestInterval);
  CHECK(clock.num_suspensions() == 1);
}

TEST_CASE("work time stands still while the work waits for a processor") {
  using std::chrono::milliseconds;
  AwakeClock::Time time;
  AwakeClock clock(time);
  clock.tick(time += milliseconds(500), milliseconds(200));
  CHECK(clock.work_time() == AwakeClock::Time(milliseconds(300)));
  clock.tick(time += milliseconds(500), milliseconds(700));  // a wait that began before the last tick
  CHECK(clock.work_time() == AwakeClock::Time(milliseconds(300)));
  clock.tick(time += milliseconds(500), milliseconds(0));
  CHECK(clock.work_time() == AwakeClock::Time(milliseconds(600)));
  CHECK(clock.now() == time);

  // Waits of several threads, which may add up to more than the time that has passed, do not add up for ever.
  for (int tick = 0; tick < 100; ++tick) clock.tick(time += milliseconds(500), milliseconds(1000));
  CHECK(clock.work_time() == AwakeClock::Time(milliseconds(600)));
  for (int tick = 0; tick < 7; ++tick) clock.tick(time += milliseconds(500), milliseconds(0));
  CHECK(clock.work_time() > AwakeClock::Time(milliseconds(600)));
}

}  // namespace transformer

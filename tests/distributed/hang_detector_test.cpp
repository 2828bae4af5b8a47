#include "distributed/hang_detector.h"

#include "catch.h"

namespace transformer {

using std::chrono::seconds;

TEST_CASE("work hangs when it makes no progress for ten times as long as ever before") {
  HangDetector detector;
  HangDetector::Time now;
  const auto after = [&](int s) { return now += seconds(s); };
  CHECK_FALSE(detector.is_hanging(after(100000)));  // preparing data may take any time

  detector.progress(now, Activity::first_step);
  CHECK_FALSE(detector.is_hanging(now + seconds(600)));
  CHECK(detector.is_hanging(now + seconds(601)));

  detector.progress(after(1), Activity::step);
  CHECK_FALSE(detector.is_hanging(now + seconds(18)));
  CHECK(detector.is_hanging(now + seconds(19)));

  detector.progress(after(7), Activity::step);
  CHECK_FALSE(detector.is_hanging(now + seconds(70)));
  CHECK(detector.is_hanging(now + seconds(71)));

  detector.progress(after(1), Activity::collective);
  CHECK_FALSE(detector.is_hanging(now + seconds(69)));
  CHECK(detector.is_hanging(now + seconds(70)));
  // A long time without progress counts less and less.
  for (int i = 0; i < 1000; ++i) detector.progress(after(1), Activity::step);
  CHECK(detector.is_hanging(now + seconds(19)));
  detector.progress(after(1), Activity::unlimited);
  CHECK_FALSE(detector.is_hanging(now + seconds(100000)));
}

}  // namespace transformer

#include "distributed/watch.h"

#include "catch.h"

namespace transformer {

using std::chrono::seconds;

TEST_CASE("work hangs when it shows no progress for ten times as long as ever before") {
  HangRule rule;
  HangRule::Time now;
  const auto after = [&](int s) { return now += seconds(s); };
  CHECK_FALSE(rule.is_hanging(after(100000)));  // preparing takes as long as it takes

  rule.progress(now, Activity::first_step);
  CHECK_FALSE(rule.is_hanging(now + seconds(600)));
  CHECK(rule.is_hanging(now + seconds(601)));

  rule.progress(after(1), Activity::stepping);
  CHECK_FALSE(rule.is_hanging(now + seconds(18)));
  CHECK(rule.is_hanging(now + seconds(19)));

  rule.progress(after(7), Activity::stepping);
  CHECK_FALSE(rule.is_hanging(now + seconds(70)));
  CHECK(rule.is_hanging(now + seconds(71)));

  // Who waits is given longer.
  rule.progress(after(1), Activity::waiting);
  CHECK_FALSE(rule.is_hanging(now + seconds(69 + 7 + 6)));
  CHECK(rule.is_hanging(now + seconds(70 + 7 + 7)));
  // A long stretch is forgotten in time.
  for (int i = 0; i < 1000; ++i) rule.progress(after(1), Activity::stepping);
  CHECK(rule.is_hanging(now + seconds(19)));
  rule.progress(after(1), Activity::other);
  CHECK_FALSE(rule.is_hanging(now + seconds(100000)));
}

}  // namespace transformer

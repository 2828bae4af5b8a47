#include "distributed/watchdog.h"

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "catch.h"

namespace transformer {

TEST_CASE("watchdog keeps the description when the activity alone changes") {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  const Membership membership{.rank = 1, .world_size = 3};
  Watchdog watchdog(membership, store, std::chrono::seconds(600));
  CHECK(watchdog.activity() == Activity::unlimited);
  watchdog.set_activity(Activity::step, "step 57");
  CHECK(watchdog.activity() == Activity::step);
  watchdog.set_activity(Activity::collective);
  CHECK(watchdog.activity() == Activity::collective);
  store->wait({heartbeat_key(1)});
  const auto has_description = [&] { return describe_rank(*store, 1, 3).ends_with("during step 57: "); };
  while (!has_description()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

}  // namespace transformer

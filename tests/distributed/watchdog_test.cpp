#include "distributed/watchdog.h"

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "catch.h"

namespace transformer {

TEST_CASE("watchdog gives the first step of a process more time than later steps, also when it is repeated") {
  Watchdog watchdog(Membership{.rank = 1, .world_size = 3}, c10::make_intrusive<c10d::HashStore>());
  CHECK(watchdog.activity() == Activity::unlimited);
  for (int attempt = 0; attempt < 2; ++attempt) {
    watchdog.begin_step(57);
    CHECK(watchdog.activity() == Activity::first_step);
  }
  watchdog.begin_step(58);
  CHECK(watchdog.activity() == Activity::step);
  watchdog.set_activity(Activity::unlimited, "the validation after step 58");
  watchdog.begin_step(59);
  CHECK(watchdog.activity() == Activity::step);
}

}  // namespace transformer

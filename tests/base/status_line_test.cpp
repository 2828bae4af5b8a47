#include "base/status_line.h"

#include "catch.h"

namespace transformer {

TEST_CASE("progress text has the share done, the rate and the time left") {
  CHECK(progress_text("encoding", "pairs", 20000, 80000, 4) ==
        "encoding  20,000 of 80,000 pairs (25 %)  5,000 pairs/s  12 s left");
  CHECK(progress_text("", "lines", 0, 500, 0) == "0 of 500 lines (0 %)");
}

}  // namespace transformer

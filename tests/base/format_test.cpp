#include "base/format.h"

#include "catch.h"

namespace transformer {

TEST_CASE("format writes numbers in a readable form") {
  CHECK(with_thousands(0) == "0");
  CHECK(with_thousands(999) == "999");
  CHECK(with_thousands(1234567) == "1,234,567");
  CHECK(with_thousands(-123456) == "-123,456");
  CHECK(counted(0, "line") == "0 lines");
  CHECK(counted(1, "line") == "1 line");
  CHECK(counted(1234, "line") == "1,234 lines");
  CHECK(human_bytes(999) == "999 B");
  CHECK(human_bytes(1500000000) == "1.5 GB");
  CHECK(human_bytes(999950) == "1.0 MB");
  CHECK(human_bytes(999400) == "999 kB");
  CHECK(human_bytes(250000000) == "250 MB");
  CHECK(human_duration(0.44) == "0.4 s");
  CHECK(human_duration(200) == "3 min 20 s");
  CHECK(human_duration(3720) == "1 h 02 min");
  CHECK(utc_time(std::chrono::system_clock::from_time_t(1497290254)) == "2017-06-12 17:57:34 UTC");
}

TEST_CASE("format lists items as a sentence does, and says how many it leaves out") {
  CHECK(enumeration({}, "or").empty());
  CHECK(enumeration({"a"}, "or") == "a");
  CHECK(enumeration({"a", "b"}, "or") == "a or b");
  CHECK(enumeration({"a", "b", "c"}, "and") == "a, b and c");
  CHECK(enumeration({"a", "b", "c"}, "and", 3) == "a, b and c");
  CHECK(enumeration({"a", "b", "c"}, "and", 2) == "a, b and 1 more");
  CHECK(enumeration({"a", "b", "c"}, "and", 1) == "a and 2 more");
  CHECK(enumeration({"a", "b", "c"}, "and", 3, 12000) == "a, b, c and 11,997 more");
  CHECK(enumeration({"a", "b", "c"}, "and", 2, 4) == "a, b and 2 more");
  CHECK(enumeration({"a", "b"}, "and", 3, 2) == "a and b");
}

}  // namespace transformer

#include "text/aligned_lines.h"

#include "base/atomic_file.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {

TEST_CASE("aligned lines are read together, and an error names files of different length") {
  const TemporaryDirectory directory;
  const std::string one = directory / "one", two = directory / "two", longer = directory / "longer";
  write_file_atomically(one, "a\n\n");
  write_file_atomically(two, "b\nc");
  write_file_atomically(longer, "x\ny\nz\n");
  std::vector<std::string> lines;

  AlignedLines even({one, two});
  CHECK(even.line_number() == 0);
  REQUIRE(even.next(lines));
  CHECK(lines == std::vector<std::string>{"a", "b"});
  REQUIRE(even.next(lines));
  CHECK(lines == std::vector<std::string>{"", "c"});
  CHECK_FALSE(even.next(lines));
  CHECK(even.line_number() == 2);

  AlignedLines uneven({longer, one});
  REQUIRE(uneven.next(lines));
  REQUIRE(uneven.next(lines));
  CHECK_THROWS_WITH(uneven.next(lines), Catch::Contains("one: ends after line 2, but ") &&
                                            Catch::Contains("longer has more lines; line n of every file"));
}

}  // namespace transformer

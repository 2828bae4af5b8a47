#include "text/aligned_lines.h"

#include "base/atomic_file.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "error_of.h"

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

namespace {

/// A test set of two documents, in SGML.
std::string set_of(const std::string& first, const std::string& second) {
  return "<srcset>\n<doc docid=\"" + first + "\"><seg id=\"1\">a</seg></doc>\n<doc docid=\"" + second +
         "\"><seg id=\"1\">b</seg></doc>\n</srcset>\n";
}

}  // namespace

TEST_CASE("lines that are different segments of test sets are refused, and those without ids fit any other") {
  const TemporaryDirectory directory;
  const auto error = [&](const std::string& one, const std::string& other) {
    write_file_atomically(directory / "one.sgm", one);
    write_file_atomically(directory / "other.sgm", other);
    return error_of(directory, [&] {
      AlignedLines lines({directory / "one.sgm", directory / "other.sgm"});
      for (std::vector<std::string> line; lines.next(line);) {
      }
    });
  };
  CHECK(error(set_of("x", "y"), set_of("x", "z")) ==
        "one.sgm:2: is y segment 1, but line 2 of other.sgm is z segment 1; bring the documents of both into the same "
        "order, or give them the same ids if these alone differ");
  CHECK_THAT(error(set_of("x", "y"), set_of("y", "x")), Catch::StartsWith("one.sgm:1: is x segment 1, but line 1 of "));
  CHECK(error(set_of("x", "y"), set_of("x", "y")).empty());
  CHECK(error(set_of("x", "y"), set_of("", "")).empty());
  CHECK(error(set_of("x", "y"), "a\nb\n").empty());
}

}  // namespace transformer

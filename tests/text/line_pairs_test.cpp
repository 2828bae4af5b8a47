#include "text/line_pairs.h"

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {

TEST_CASE("line pairs are in order through all files, for any block size") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "a", "1\n2\n3\n");
  write_file_atomically(directory / "b", "4\n5");
  const std::vector<ParallelFiles> files = {{directory / "a", directory / "a"}, {directory / "b", directory / "b"}};
  for (const size_t limit : {1, 2, 3, 10}) {
    LinePairReader reader(files);
    int64_t line = 0;
    for (auto block = reader.next(limit); !block.empty(); block = reader.next(limit)) {
      CHECK(block.size() <= limit);
      for (const auto& pair : block) {
        CHECK(pair.line == ++line);
        CHECK(pair.source == std::to_string(line));
        CHECK(pair.target == pair.source);
        CHECK(pair.file == (line <= 3 ? 0 : 1));
        CHECK(pair.line_of_file == (line <= 3 ? line : line - 3));
      }
    }
    CHECK(line == 5);
  }
}

TEST_CASE("line pairs: an error names a file that ends before the other") {
  const TemporaryDirectory directory;
  const std::string source = directory / "a", target = directory / "b";
  write_file_atomically(source, "1\n2\n3\n");
  write_file_atomically(target, "1\n2\n");
  LinePairReader reader({ParallelFiles{source, target}});
  CHECK_THROWS_WITH(reader.next(10), Catch::StartsWith(target + ": ends after line 2, but " + source));
}

}  // namespace transformer

#include "base/read_file.h"

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {

TEST_CASE("read_file gives all bytes, and read_beginning the first ones") {
  const TemporaryDirectory directory;
  const std::string path = directory / "f", bytes("a\0b\nc", 5);
  write_file_atomically(path, bytes);
  CHECK(read_file(path) == bytes);
  CHECK(read_beginning(path, 0).empty());
  CHECK(read_beginning(path, 3) == bytes.substr(0, 3));
  CHECK(read_beginning(path, 5) == bytes);
  CHECK(read_beginning(path, 100) == bytes);
}

TEST_CASE("read_file and read_beginning name a file that cannot be read") {
  const TemporaryDirectory directory;
  const std::string none = directory / "none";
  CHECK_THROWS_WITH(read_file(none), Catch::StartsWith(none + ": cannot be read: there is no such file"));
  CHECK_THROWS_WITH(read_beginning(none, 3), Catch::StartsWith(none + ": cannot be read: there is no such file"));
  CHECK_THROWS_WITH(read_beginning(directory.path(), 3),
                    directory.path() + ": cannot be read: it is a directory; give the path of a file");
}

}  // namespace transformer

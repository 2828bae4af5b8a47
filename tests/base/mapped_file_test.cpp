#include "base/mapped_file.h"

#include "base/atomic_file.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {

TEST_CASE("mapped file has the bytes of the file, and none of an empty file") {
  const TemporaryDirectory directory;
  const std::string path = directory / "file";
  const std::string bytes(100'000, 'x');
  write_file_atomically(path, bytes);
  CHECK(MappedFile(path).bytes() == bytes);
  write_file_atomically(path, "");
  CHECK(MappedFile(path).bytes().empty());
}

TEST_CASE("mapped file names a file that cannot be read, and why") {
  const TemporaryDirectory directory;
  const std::string none = directory / "none";
  CHECK_THROWS_WITH(MappedFile(none), Catch::StartsWith(none + ": cannot be read: there is no such file"));
  CHECK_THROWS_WITH(MappedFile(directory.path()),
                    directory.path() + ": cannot be read: it is a directory; give the path of a file");
}

}  // namespace transformer

#include "serialization/zip_directory.h"

#include <cstring>

#include "archive_bytes.h"
#include "base/error.h"
#include "catch.h"

namespace transformer {
namespace {

std::map<std::string, ZipRecord> directory_of(const std::string& archive) {
  return read_zip_directory(archive.size(), [&](uint64_t position, void* to, size_t count) {
    REQUIRE(position <= archive.size());
    REQUIRE(count <= archive.size() - position);
    std::memcpy(to, archive.data() + position, count);
  });
}

}  // namespace

TEST_CASE("zip directory finds the bytes of each record, by numbers of 64 bits") {
  const std::string archive = zip_of({{"a/data", "first"}, {"a/empty", ""}, {"b", "second"}});
  const auto records = directory_of(archive);
  REQUIRE(records.size() == 3);
  CHECK(archive.substr(records.at("a/data").offset, records.at("a/data").size) == "first");
  CHECK(records.at("a/empty").size == 0);
  CHECK(archive.substr(records.at("b").offset, records.at("b").size) == "second");
}

TEST_CASE("zip directory that is damaged or points outside of the archive is refused") {
  const std::string sound = zip_of({{"name", "content"}});
  for (size_t size = 0; size < sound.size(); ++size) {
    INFO(size);
    CHECK_THROWS_AS(directory_of(sound.substr(0, size)), DamagedFile);
  }
  const int64_t huge = int64_t{1} << 62;
  CHECK_THROWS_WITH(directory_of(zip_of({{.name = "a", .content = "", .compression = 8}})),
                    "its record 'a' is compressed");
  CHECK_THROWS_WITH(directory_of(zip_of({{.name = "a", .content = "x", .size = huge, .compressed_size = huge}})),
                    Catch::Contains("ends beyond the file"));
  CHECK_THROWS_WITH(directory_of(zip_of({{.name = "a", .content = "x", .size = huge}})), Catch::Contains("format"));
  CHECK_THROWS_WITH(directory_of(zip_of({{.name = "a", .content = "x", .header_position = huge}})),
                    Catch::Contains("points outside of the file"));
  CHECK_THROWS_WITH(directory_of(zip_of({{"a", "x"}, {"a", "y"}})), Catch::Contains("format"));

  std::string large = sound;  // a directory of 2^60 bytes, by its size in the ZIP64 end
  large.replace(large.size() - 22 - 20 - 56 + 40, 8, bytes_of_number(uint64_t{1} << 60));
  CHECK_THROWS_WITH(directory_of(large), Catch::Contains("its zip directory has"));
}

}  // namespace transformer

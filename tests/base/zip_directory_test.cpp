#include "base/zip_directory.h"

#include <cstring>

#include "base/error.h"
#include "catch.h"
#include "serialization/archive_bytes.h"

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

TEST_CASE("zip directory finds compressed records, and records of an archive without ZIP64") {
  const std::string archive = zip_of({{.name = "a", .content = "xyz", .compression = 8, .size = 1000}});
  const ZipRecord record = directory_of(archive).at("a");
  CHECK(record.is_compressed);
  CHECK(archive.substr(record.offset, record.size) == "xyz");
  CHECK(record.content_size == 1000);
  // As `zip` writes it: "b" with the content "content".
  const std::string header = std::string(22, '\0') + std::string("\1\0", 2), name = "b", size = bytes_of_number(7);
  const std::string stored = "PK\x03\x04" + header + std::string(2, '\0') + name + "content";
  const std::string entry =
      "PK\x01\x02" + std::string(16, '\0') + size + size + std::string("\1\0", 2) + std::string(16, '\0') + name;
  const std::string end = "PK\x05\x06" + std::string(8, '\0') + bytes_of_number(static_cast<uint32_t>(entry.size())) +
                          bytes_of_number(static_cast<uint32_t>(stored.size())) + std::string(2, '\0');
  const std::string small = stored + entry + end;
  const auto records = read_zip_directory(small);
  REQUIRE(records.size() == 1);
  CHECK(small.substr(records.at("b").offset, records.at("b").size) == "content");
  CHECK_FALSE(records.at("b").is_compressed);
}

TEST_CASE("zip directory is found before a comment") {
  std::string archive = zip_of({{"a", "content"}});
  const std::string comment = "with PK\x05\x06 in it";
  archive.replace(archive.size() - 2, 2, bytes_of_number(static_cast<uint16_t>(comment.size())));
  const ZipRecord record = directory_of(archive + comment).at("a");
  CHECK(archive.substr(record.offset, record.size) == "content");
  CHECK(record.checksum == crc32_of("content"));
}

TEST_CASE("zip directory tells the content of a record from other bytes") {
  const ZipRecord record = directory_of(zip_of({{"a", "content"}})).at("a");
  CHECK_NOTHROW(check_content(record, "content"));
  CHECK_THROWS_WITH(check_content(record, "contents"), "its checksum does not fit");
}

TEST_CASE("zip directory that is damaged or points outside of the archive is refused") {
  const std::string sound = zip_of({{"name", "content"}});
  for (size_t size = 0; size < sound.size(); ++size) {
    INFO(size);
    CHECK_THROWS_AS(directory_of(sound.substr(0, size)), DamagedFile);
  }
  CHECK_THROWS_WITH(directory_of(zip_of({{.name = "a", .content = "x", .flags = 1}})), "its record 'a' is encrypted");
  const int64_t huge = int64_t{1} << 62;
  CHECK_THROWS_WITH(directory_of(zip_of({{.name = "a", .content = "", .compression = 9}})),
                    "its record 'a' is compressed with method 9, not with deflate");
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

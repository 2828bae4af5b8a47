#include "base/checksum.h"

#include "base/atomic_file.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {

TEST_CASE("checksum is CRC-32 and can be computed in parts") {
  CHECK(crc32_of("123456789") == 0xCBF43926);
  CHECK(crc32_of("456789", crc32_of("123")) == 0xCBF43926);
  CHECK(crc32_of(std::string_view(), crc32_of("123456789")) == 0xCBF43926);
  const TemporaryDirectory directory;
  write_file_atomically(directory / "file", "123456789");
  CHECK(crc32_of_file(directory / "file") == 0xCBF43926);
}

TEST_CASE("checksum CRC-32C has the values of RFC 3720") {
  CHECK(crc32c_of("123456789") == 0xE3069283);
  CHECK(crc32c_of(std::string(32, '\0')) == 0x8A9136AA);
  CHECK(crc32c_of(std::string(32, '\xFF')) == 0x62A8AB43);
  CHECK(crc32c_of("") == 0);
}

TEST_CASE("checksum CRC-32C is the same with and without the processor's instruction, for every length") {
  CHECK(crc32c_by_tables("123456789") == 0xE3069283);
  std::string bytes;
  for (int i = 0; i < 100; ++i) {
    CHECK(crc32c_by_tables(bytes) == crc32c_of(bytes));
    bytes += static_cast<char>(i * i);
  }
}

}  // namespace transformer

#include "base/checksum.h"

#include <zlib.h>

#include <string>

#include "base/atomic_file.h"
#include "base/splitmix64.h"
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

TEST_CASE("checksum of bytes is that of zlib, for every length and place in memory, also in parts") {
  std::string bytes;
  for (uint32_t i = 0; i < 700; ++i) bytes += static_cast<char>(splitmix64(i));
  for (size_t size = 0; size < bytes.size() - 16; ++size) {
    const std::string_view part = std::string_view(bytes).substr(size % 16, size);
    const auto expected = static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(part.data()), size));
    CHECK(crc32_of(part) == expected);
    CHECK(crc32_of(part.substr(size / 3), crc32_of(part.substr(0, size / 3))) == expected);
  }
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

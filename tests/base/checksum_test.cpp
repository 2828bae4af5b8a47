#include "base/checksum.h"

#include "base/atomic_file.h"
#include "catch.h"
#include "temporary_directory.h"

namespace transformer {

TEST_CASE("checksum is CRC-32 and can be computed in parts") {
  CHECK(crc32_of("123456789") == 0xCBF43926);
  CHECK(crc32_of("456789", crc32_of("123")) == 0xCBF43926);
  const TemporaryDirectory directory;
  write_file_atomically(directory / "file", "123456789");
  CHECK(crc32_of_file(directory / "file") == 0xCBF43926);
}

}  // namespace transformer

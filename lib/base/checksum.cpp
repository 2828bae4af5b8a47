#include "base/checksum.h"

#include <zlib.h>

#include <array>
#include <vector>

#include "base/read_file.h"
#include "base/system_error.h"

namespace transformer {

uint32_t crc32_of(std::string_view bytes, uint32_t seed) {
  if (bytes.empty()) return seed;  // zlib would return 0 for a null pointer
  return static_cast<uint32_t>(crc32_z(seed, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

uint32_t crc32_of_file(const std::string& path) {
  const File file = open_to_read(path);
  std::vector<char> block(1 << 20);
  uint32_t checksum = 0;
  while (const size_t got = std::fread(block.data(), 1, block.size(), file.get())) {
    checksum = crc32_of({block.data(), got}, checksum);
  }
  if (std::ferror(file.get()) != 0) throw read_error(path);
  return checksum;
}

namespace {

/// The CRC-32C of each byte, by the reversed polynomial 0x82F63B78.
constexpr std::array<uint32_t, 256> kCrc32cTable = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc % 2 == 1 ? 0x82F63B78u : 0u);
    table[byte] = crc;
  }
  return table;
}();

}  // namespace

uint32_t crc32c_of(std::string_view bytes) {
  uint32_t crc = ~0u;
  for (const char byte : bytes) crc = (crc >> 8) ^ kCrc32cTable[(crc ^ static_cast<unsigned char>(byte)) & 0xFFu];
  return ~crc;
}

}  // namespace transformer

#include "base/checksum.h"

#include <zlib.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/system_error.h"

namespace transformer {

uint32_t crc32_of(std::string_view bytes, uint32_t seed) {
  return static_cast<uint32_t>(crc32_z(seed, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

uint32_t crc32_of_file(const std::string& path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw Error("{}: cannot be read: {}", path, last_system_error());
  std::vector<char> block(1 << 20);
  uint32_t checksum = 0;
  while (const size_t got = std::fread(block.data(), 1, block.size(), file.get())) {
    checksum = crc32_of({block.data(), got}, checksum);
  }
  if (std::ferror(file.get()) != 0) throw Error("{}: cannot be read: {}", path, last_system_error());
  return checksum;
}

}  // namespace transformer

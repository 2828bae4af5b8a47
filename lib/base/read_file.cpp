#include "base/read_file.h"

#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/system_error.h"

namespace transformer {

std::string read_file(const std::string& path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw Error("{}: cannot be read: {}", path, last_system_error());
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path, unknown);
  size_t block = (unknown ? 0 : size) + 1;  // one more than there should be, so that the first block ends the file
  std::string bytes;
  while (true) {
    const size_t old_size = bytes.size();
    bytes.resize(old_size + block);
    const size_t got = std::fread(bytes.data() + old_size, 1, block, file.get());
    bytes.resize(old_size + got);
    if (got < block) break;
    block = 1 << 20;
  }
  if (std::ferror(file.get()) != 0) throw Error("{}: cannot be read: {}", path, last_system_error());
  return bytes;
}

}  // namespace transformer

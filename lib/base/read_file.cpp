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
  std::string bytes;
  std::error_code ignored;
  const auto size = std::filesystem::file_size(path, ignored);
  static constexpr size_t kBlock = 1 << 20;
  if (!ignored) bytes.reserve(size + kBlock);
  while (true) {
    const size_t old_size = bytes.size();
    bytes.resize(old_size + kBlock);
    const size_t got = std::fread(bytes.data() + old_size, 1, kBlock, file.get());
    bytes.resize(old_size + got);
    if (got < kBlock) break;
  }
  if (std::ferror(file.get()) != 0) throw Error("{}: cannot be read: {}", path, last_system_error());
  return bytes;
}

}  // namespace transformer

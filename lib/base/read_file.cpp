#include "base/read_file.h"

#include <cerrno>
#include <filesystem>

#include "base/system_error.h"

namespace transformer {

File open_to_read(const std::string& path) {
  File file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw read_error(path);
  if (std::filesystem::is_directory(path)) throw read_error(path, EISDIR);
  return file;
}

std::string read_file(const std::string& path) {
  const File file = open_to_read(path);
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
  if (std::ferror(file.get()) != 0) throw read_error(path);
  return bytes;
}

std::string read_beginning(const std::string& path, size_t count) {
  const File file = open_to_read(path);
  std::string bytes(count, '\0');
  bytes.resize(std::fread(bytes.data(), 1, count, file.get()));
  if (std::ferror(file.get()) != 0) throw read_error(path);
  return bytes;
}

}  // namespace transformer

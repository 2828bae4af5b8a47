#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "base/system_error.h"

namespace transformer {

MappedFile::MappedFile(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw read_error(path);
  const auto close_file = [](const int* open_descriptor) { close(*open_descriptor); };
  const std::unique_ptr<const int, decltype(close_file)> closer(&descriptor, close_file);
  struct stat status {};
  if (fstat(descriptor, &status) != 0) throw read_error(path);
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return;  // mmap refuses to map nothing
  void* const begin = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (begin == MAP_FAILED) throw read_error(path);
  bytes_ = {static_cast<const char*>(begin), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace transformer

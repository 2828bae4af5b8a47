#include "base/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include "base/read_file.h"
#include "base/system_error.h"

namespace transformer {

MappedFile::MappedFile(const std::string& path) {
  const File file = open_to_read(path);
  const int descriptor = fileno(file.get());
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

#include "base/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/error.h"
#include "base/system_error.h"

namespace transformer {

DirectoryLock::DirectoryLock(const std::string& path, const std::string& busy)
    : descriptor_(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw Error("{}: cannot be read: {}", path, last_system_error());
  if (flock(descriptor_, LOCK_EX | (busy.empty() ? 0 : LOCK_NB)) != 0 && errno == EWOULDBLOCK) {
    close(descriptor_);
    throw Error("{}: {}", path, busy);
  }
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

DirectoryLock::~DirectoryLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace transformer

#include "base/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/system_error.h"

namespace transformer {
namespace {

/// Returns false if another process has the lock; true on file systems without flock.
bool lock(int descriptor, int operation) {
  int result = 0;
  do {
    result = flock(descriptor, operation);
  } while (result != 0 && errno == EINTR);
  return result == 0 || errno != EWOULDBLOCK;
}

}  // namespace

DirectoryLock::DirectoryLock(const std::string& path)
    : descriptor_(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw read_error(path);
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

DirectoryLock::~DirectoryLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool DirectoryLock::try_exclusive() { return lock(descriptor_, LOCK_EX | LOCK_NB); }

void DirectoryLock::wait_shared() { lock(descriptor_, LOCK_SH); }

}  // namespace transformer

#pragma once

#include <string>

namespace transformer {

/// An exclusive lock on a directory among the processes that use this class. The destructor releases it.
class DirectoryLock {
 public:
  /// If another process holds the lock, throws an Error "<path>: <busy>", or waits for the lock if `busy` is empty.
  DirectoryLock(const std::string& path, const std::string& busy);
  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&&) = delete;

 private:
  int descriptor_;  // negative once moved from
};

}  // namespace transformer

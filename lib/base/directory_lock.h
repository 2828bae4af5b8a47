#pragma once

#include <string>

namespace transformer {

/// A lock on a directory among the processes that use this class. One process has it exclusively, or several share it.
/// The destructor releases it.
class DirectoryLock {
 public:
  /// Opens the directory without locking it. Throws Error if there is no such directory.
  explicit DirectoryLock(const std::string& path);
  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&&) = delete;

  // Each of these functions replaces the lock that this object has.

  /// Takes the exclusive lock. If another process has the lock, returns false, and this object has none.
  bool try_exclusive();
  /// Waits for a shared lock.
  void wait_shared();

 private:
  int descriptor_;  // negative once moved from
};

}  // namespace transformer

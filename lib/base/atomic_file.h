#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace transformer {

/// Writes a file so that readers see either the complete new file or the old one: it writes a temporary file in the
/// same directory, calls fsync, and renames it. Without `commit`, the destructor removes the temporary file and leaves
/// the old file unchanged. A path that is not a regular file (a pipe, /dev/null) or names an open file (/dev/stdout,
/// /dev/fd/3) is written in place; a symbolic link stays a link, and its target is replaced. The new file has the
/// permissions of the old one and, where the process may set it, its group; otherwise the group gets no permissions.
class AtomicFile {
 public:
  /// Throws Error if the file cannot be created, or if the old one is read-only.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Throws Error if writing fails, for example because the disk is full.
  void write(std::string_view bytes);
  /// Replaces the old file by what was written. Throws Error if that fails.
  void commit();

 private:
  std::string path_, temporary_;  // equal if the file is written in place
  std::FILE* file_;
};

/// Writes `bytes` as the whole content of the file, through AtomicFile.
void write_file_atomically(const std::string& path, std::string_view bytes);

}  // namespace transformer

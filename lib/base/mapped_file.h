#pragma once

#include <string>
#include <string_view>

namespace transformer {

/// From now on, if a mapped file becomes shorter and a part that is missing is read, the program ends with a message
/// that names the file and exit status 1, instead of by the signal SIGBUS. A program calls it once; a library does not.
void end_program_where_files_shrink();

/// A file, mapped into memory to be read, so that only the pages in use are loaded.
class MappedFile {
 public:
  /// Throws Error if the file cannot be read.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// The bytes of the file; the first one is at the beginning of a page of memory.
  std::string_view bytes() const { return bytes_; }
  /// Lets the pages of a part of bytes() leave the memory of this process; reading them loads them again.
  void release(std::string_view part) const;

 private:
  const std::string shrunk_message_;
  std::string_view bytes_;  // empty, and not mapped, if the file is
};

}  // namespace transformer

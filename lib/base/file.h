#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace transformer {

/// Reads a text file line by line, plain or gzip-compressed (told by its content, not its name); "-" is stdin.
/// A line ends at '\n' only: CR, U+2028, NUL and invalid UTF-8 are the line's own bytes. A last line without
/// '\n' is a line. Throws Error where the file is missing, unreadable or damaged.
class LineReader {
 public:
  explicit LineReader(const std::string& path);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next line without its '\n'; false at the end.
  bool next(std::string& line);
  /// Whether `next` has something to look at without waiting for whoever writes the file: a pipe or a terminal.
  bool is_ready() const;
  /// The number of the line that `next` gave last, from 1.
  int64_t line_number() const { return line_number_; }

 private:
  bool fill();

  struct Source;
  std::string path_;
  std::unique_ptr<Source> source_;
  std::string buffer_;
  size_t position_ = 0;
  int64_t line_number_ = 0;
};

std::vector<std::string> read_lines(const std::string& path);
int64_t count_lines(const std::string& path);

/// The whole file's bytes. Throws Error.
std::string read_file(const std::string& path);

/// Writes a file so that it is there whole or not at all: a temporary file in the same directory, fsync, rename.
/// Without `commit` the destructor removes the temporary file and the old file stays as it was. What exists and is not
/// a regular file (a pipe, /dev/null) is written to as it is; a symbolic link stays one.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Throws Error where the disk is full or the file may not be written.
  void write(std::string_view bytes);
  void commit();

 private:
  std::string path_, temporary_;  // the same where the file is written in place
  std::FILE* file_;
};

/// Opens a new file named `path`.tmp.XXXXXX; its name is put into `temporary`. Throws Error.
std::FILE* open_temporary_file(const std::string& path, std::string& temporary);

/// Removes what killed programs left of such files in the directory.
void remove_leftovers(const std::string& directory);

/// Holds a directory against other processes that take this lock, until it is destroyed.
class DirectoryLock {
 public:
  /// Throws Error(path, ": ", busy) where another process holds it; with an empty `busy` it waits instead.
  DirectoryLock(const std::string& path, const std::string& busy);
  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&&) = delete;

 private:
  int descriptor_;  // negative once moved from
};

void write_file_atomically(const std::string& path, std::string_view bytes);

/// Appends one line and its '\n', in one write. Throws Error.
void append_line(const std::string& path, const std::string& line);

/// Creates the directory and its parents. Throws Error.
void make_directory(const std::string& path);

/// CRC-32 of the bytes, or of a file's; `seed` continues a checksum.
uint32_t crc32_of(std::string_view bytes, uint32_t seed = 0);
uint32_t crc32_of_file(const std::string& path);

}  // namespace transformer

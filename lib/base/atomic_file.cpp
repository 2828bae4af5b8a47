#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/parse_number.h"
#include "base/system_error.h"
#include "base/temporary_file.h"

namespace transformer {

namespace {

/// The open file that a path such as /dev/stdout or /dev/fd/3 names.
std::optional<int> descriptor_of(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    if (const auto descriptor = parse_number<int>(std::string_view(path).substr(folder.size()))) return descriptor;
  }
  return std::nullopt;
}

/// Opens a file that is not replaced but written where it is; null if it is one to replace.
std::FILE* open_in_place(const std::string& path) {
  std::FILE* file = nullptr;
  if (const auto descriptor = descriptor_of(path)) {
    const int copy = dup(*descriptor);  // which shares the file offset
    if (copy >= 0) file = fdopen(copy, "wb");
  } else if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path)) {
    file = std::fopen(path.c_str(), "wb");
  } else {
    return nullptr;
  }
  if (file == nullptr) throw write_error(path);
  return file;
}

/// The path that a symbolic link names, also if nothing is there.
std::string target_of_link(const std::filesystem::path& link) {
  if (std::filesystem::exists(link)) return std::filesystem::canonical(link).string();
  return (link.parent_path() / std::filesystem::read_symlink(link)).string();
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), temporary_(path), file_(open_in_place(path)) {
  if (file_ != nullptr) return;
  while (std::filesystem::is_symlink(path_)) path_ = target_of_link(path_);
  struct stat old {};
  const bool exists = stat(path_.c_str(), &old) == 0;
  if (exists && access(path_.c_str(), W_OK) != 0) throw write_error(path_);
  file_ = open_temporary_file(path_, temporary_);
  if (!exists) return;
  const bool has_same_group = fchown(fileno(file_), static_cast<uid_t>(-1), old.st_gid) == 0;
  fchmod(fileno(file_), old.st_mode & (has_same_group ? 0777 : 0707));
}

AtomicFile::~AtomicFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (temporary_ != path_) unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  if (bytes.empty()) return;                  // fwrite must not get the null pointer that an empty view may have
  const bool in_place = temporary_ == path_;  // flushed at once, since a pipe's reader may be waiting
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size() || (in_place && std::fflush(file_) != 0)) {
    throw write_error(path_);
  }
}

void AtomicFile::commit() {
  const bool in_place = temporary_ == path_;
  if (std::fflush(file_) != 0 || (!in_place && fsync(fileno(file_)) != 0)) {
    throw write_error(path_);
  }
  std::fclose(file_);
  file_ = nullptr;
  if (in_place) return;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const Error failure = write_error(path_);
    unlink(temporary_.c_str());
    throw failure;
  }
  // Without fsync on the directory, a power failure could undo the renaming.
  const std::filesystem::path parent = std::filesystem::path(path_).parent_path();
  const int directory = open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    fsync(directory);
    close(directory);
  }
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace transformer

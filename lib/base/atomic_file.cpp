#include "base/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.h"
#include "base/system_error.h"
#include "base/temporary_file.h"

namespace transformer {

AtomicFile::AtomicFile(const std::string& path) : path_(path), file_(nullptr) {
  if (std::filesystem::is_symlink(path)) path_ = std::filesystem::weakly_canonical(path).string();
  if (std::filesystem::exists(path_) && !std::filesystem::is_regular_file(path_)) {
    temporary_ = path_;
    file_ = std::fopen(path_.c_str(), "wb");
    if (file_ == nullptr) throw Error("{}: cannot be written: {}", path, last_system_error());
  } else {
    file_ = open_temporary_file(path_, temporary_);
  }
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
    throw Error("{}: cannot be written: {}", path_, last_system_error());
  }
}

void AtomicFile::commit() {
  const bool in_place = temporary_ == path_;
  if (std::fflush(file_) != 0 || (!in_place && fsync(fileno(file_)) != 0)) {
    throw Error("{}: cannot be written: {}", path_, last_system_error());
  }
  std::fclose(file_);
  file_ = nullptr;
  if (in_place) return;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const std::string why = last_system_error();
    unlink(temporary_.c_str());
    throw Error("{}: cannot be written: {}", path_, why);
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

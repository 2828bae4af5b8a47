#include "base/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/gzip.h"
#include "base/system_error.h"

namespace transformer {

/// The file's bytes as they come, and behind them what they stand for.
struct LineReader::Source {
  explicit Source(int opened) : descriptor(opened) {}
  ~Source() { close(descriptor); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// Some bytes, at once where there are any; none at the end.
  std::string read_some() {
    static constexpr size_t kBlock = size_t{1} << 16;
    if (has_ended) return "";  // a terminal would go on
    std::string bytes(kBlock, '\0');
    ssize_t got = 0;
    do {
      got = ::read(descriptor, bytes.data(), bytes.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) throw Error(last_system_error());
    bytes.resize(static_cast<size_t>(got));
    has_ended = bytes.empty();
    return bytes;
  }

  /// The next bytes of the text; none at its end.
  std::string next() {
    std::string bytes = read_some();
    if (!has_begun) {
      if (bytes == "\x1F") bytes += read_some();  // perhaps the first half of gzip's mark
      has_begun = true;
      if (GzipReader::is_gzip(bytes)) gzip.emplace();
    }
    if (!gzip) return bytes;
    while (!bytes.empty()) {
      std::string text = gzip->add(bytes);
      if (!text.empty()) return text;
      bytes = read_some();
    }
    if (!gzip->is_complete()) throw Error("the compressed file ends too early; fetch it again");
    return "";
  }

  const int descriptor;
  bool has_begun = false, has_ended = false;
  std::optional<GzipReader> gzip;
};

LineReader::LineReader(const std::string& path) : path_(path) {
  const int descriptor = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw Error(path, ": cannot be read: ", last_system_error());
  source_ = std::make_unique<Source>(descriptor);
  if (std::filesystem::is_directory(path)) throw Error(path, ": is a directory, not a text file");
}

LineReader::~LineReader() = default;

bool LineReader::fill() {
  buffer_.erase(0, position_);
  position_ = 0;
  try {
    const std::string more = source_->next();
    buffer_ += more;
    return !more.empty();
  } catch (const Error& error) {
    throw Error(path_, ":", line_number_ + 1, ": cannot be read further: ", error.what());
  }
}

bool LineReader::is_ready() const {
  if (buffer_.find('\n', position_) != std::string::npos) return true;
  pollfd descriptor{.fd = source_->descriptor, .events = POLLIN, .revents = 0};
  return poll(&descriptor, 1, /*timeout=*/0) > 0;
}

bool LineReader::next(std::string& line) {
  size_t searched = position_;
  while (true) {
    const size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      line.assign(buffer_, position_, end - position_);
      position_ = end + 1;
      ++line_number_;
      return true;
    }
    searched = buffer_.size() - position_;
    if (!fill()) break;
  }
  if (buffer_.empty()) return false;
  line.swap(buffer_);
  buffer_.clear();
  ++line_number_;
  return true;
}

std::vector<std::string> read_lines(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

int64_t count_lines(const std::string& path) {
  LineReader reader(path);
  for (std::string line; reader.next(line);) {
  }
  return reader.line_number();
}

std::string read_file(const std::string& path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw Error(path, ": cannot be read: ", last_system_error());
  std::string bytes;
  std::error_code ignored;
  const auto size = std::filesystem::file_size(path, ignored);
  static constexpr size_t kBlock = 1 << 20;
  if (!ignored) bytes.reserve(size + kBlock);
  while (true) {
    const size_t old_size = bytes.size();
    bytes.resize(old_size + kBlock);
    const size_t got = std::fread(bytes.data() + old_size, 1, kBlock, file.get());
    bytes.resize(old_size + got);
    if (got < kBlock) break;
  }
  if (std::ferror(file.get()) != 0) throw Error(path, ": cannot be read: ", last_system_error());
  return bytes;
}

AtomicFile::AtomicFile(const std::string& path) : path_(path), file_(nullptr) {
  if (std::filesystem::is_symlink(path)) path_ = std::filesystem::weakly_canonical(path).string();
  if (std::filesystem::exists(path_) && !std::filesystem::is_regular_file(path_)) {
    temporary_ = path_;
    file_ = std::fopen(path_.c_str(), "wb");
    if (file_ == nullptr) throw Error(path, ": cannot be written: ", last_system_error());
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
  const bool in_place = temporary_ == path_;  // a pipe's reader waits
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size() || (in_place && std::fflush(file_) != 0)) {
    throw Error(path_, ": cannot be written: ", last_system_error());
  }
}

void AtomicFile::commit() {
  const bool in_place = temporary_ == path_;
  if (std::fflush(file_) != 0 || (!in_place && fsync(fileno(file_)) != 0)) {
    throw Error(path_, ": cannot be written: ", last_system_error());
  }
  std::fclose(file_);
  file_ = nullptr;
  if (in_place) return;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const std::string why = last_system_error();
    unlink(temporary_.c_str());
    throw Error(path_, ": cannot be written: ", why);
  }
  // The new name must outlive a power cut as well as the bytes do.
  const std::filesystem::path parent = std::filesystem::path(path_).parent_path();
  const int directory = open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    fsync(directory);
    close(directory);
  }
}

std::FILE* open_temporary_file(const std::string& path, std::string& temporary) {
  temporary = path + ".tmp.XXXXXX";
  const int descriptor = mkstemp(temporary.data());
  if (descriptor < 0) {
    throw Error(path, ": cannot be written: ",
                errno == ENOENT ? "its directory does not exist; create it first" : last_system_error());
  }
  const mode_t mask = umask(0);  // mkstemp allows the owner alone; give the file the usual rights
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);
  return fdopen(descriptor, "w+b");
}

void remove_leftovers(const std::string& directory) {
  static constexpr std::string_view kMark = ".tmp.";
  static constexpr size_t kRandomLetters = 6;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    const size_t mark = name.rfind(kMark);
    if (mark != std::string::npos && mark + kMark.size() + kRandomLetters == name.size()) {
      std::filesystem::remove(entry.path());
    }
  }
}

DirectoryLock::DirectoryLock(const std::string& path, const std::string& busy)
    : descriptor_(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw Error(path, ": cannot be read: ", last_system_error());
  if (flock(descriptor_, LOCK_EX | (busy.empty() ? 0 : LOCK_NB)) != 0 && errno == EWOULDBLOCK) {
    close(descriptor_);
    throw Error(path, ": ", busy);
  }
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

DirectoryLock::~DirectoryLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void append_line(const std::string& path, const std::string& line) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) throw Error(path, ": cannot be written: ", last_system_error());
  const std::string bytes = line + "\n";
  const bool whole = ::write(descriptor, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  const std::string why = whole ? "" : last_system_error();
  close(descriptor);
  if (!whole) throw Error(path, ": cannot be written: ", why);
}

void make_directory(const std::string& path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (failure) throw Error(path, ": cannot create this directory: ", failure.message());
}

uint32_t crc32_of(std::string_view bytes, uint32_t seed) {
  return static_cast<uint32_t>(crc32_z(seed, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

uint32_t crc32_of_file(const std::string& path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw Error(path, ": cannot be read: ", last_system_error());
  std::vector<char> block(1 << 20);
  uint32_t checksum = 0;
  while (const size_t got = std::fread(block.data(), 1, block.size(), file.get())) {
    checksum = crc32_of({block.data(), got}, checksum);
  }
  if (std::ferror(file.get()) != 0) throw Error(path, ": cannot be read: ", last_system_error());
  return checksum;
}

}  // namespace transformer

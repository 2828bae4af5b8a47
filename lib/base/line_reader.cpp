#include "base/line_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/gzip.h"
#include "base/system_error.h"

namespace transformer {

/// The file's bytes, decompressed if the file is compressed.
struct LineReader::Source {
  explicit Source(int opened) : descriptor(opened) {}
  ~Source() { close(descriptor); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// Returns bytes as soon as there are any, and none at the end of the file.
  std::string read_some() {
    static constexpr size_t kBlock = size_t{1} << 16;
    if (has_ended) return "";  // reading on would wait for a terminal again
    std::string bytes(kBlock, '\0');
    ssize_t got = 0;
    do {
      got = ::read(descriptor, bytes.data(), bytes.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) throw Error("{}", last_system_error());
    bytes.resize(static_cast<size_t>(got));
    has_ended = bytes.empty();
    return bytes;
  }

  /// Returns the next bytes of the text, and none at its end.
  std::string next() {
    std::string bytes = read_some();
    if (!has_begun) {
      if (bytes == "\x1F") bytes += read_some();  // may be the first of the two bytes that mark gzip
      has_begun = true;
      if (GzipReader::is_gzip(bytes)) gzip.emplace();
    }
    if (!gzip) return bytes;
    while (!bytes.empty()) {
      std::string text = gzip->add(bytes);
      if (!text.empty()) return text;
      bytes = read_some();
    }
    if (!gzip->is_complete()) throw Error("the compressed file ends too early; copy or download it again");
    return "";
  }

  const int descriptor;
  bool has_begun = false, has_ended = false;
  std::optional<GzipReader> gzip;
};

LineReader::LineReader(const std::string& path) : path_(path) {
  const int descriptor = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw Error("{}: cannot be read: {}", path, last_system_error());
  source_ = std::make_unique<Source>(descriptor);
  if (std::filesystem::is_directory(path)) throw Error("{}: is a directory, not a text file", path);
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
    throw Error("{}:{}: cannot be read: {}", path_, line_number_ + 1, error.what());
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

}  // namespace transformer

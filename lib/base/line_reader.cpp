#include "base/line_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/error.h"
#include "base/format.h"
#include "base/gzip.h"
#include "base/other_format.h"
#include "base/parse_number.h"
#include "base/system_error.h"
#include "base/utf8.h"

namespace transformer {

/// The file's bytes, decompressed if the file is compressed.
struct LineReader::Source {
  Source(int opened, bool may_have_markup_here) : descriptor(opened), may_have_markup(may_have_markup_here) {}
  ~Source() { close(descriptor); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const int descriptor;

  /// Returns the next bytes of the text, and none at its end. The first ones have a whole line, if there is one.
  std::string next() {
    if (has_checked) return next_decompressed();
    has_checked = true;
    std::string text;
    for (std::string more = next_decompressed(); !more.empty(); more = next_decompressed()) {
      text += more;
      if (is_zip(text) ? text.size() >= kMaxArchive : more.find('\n') != std::string::npos) break;
    }
    std::string format = describe_binary_format(text);
    if (format.empty() && !may_have_markup) format = describe_markup(text);
    if (!format.empty()) throw Error("it is {}", format);
    return text;
  }

 private:
  /// So much of an archive is read to find the names of its files.
  static constexpr size_t kMaxArchive = size_t{1} << 24;

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

  std::string next_decompressed() {
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

  const bool may_have_markup;  // whether lines may begin as markup does
  bool has_begun = false, has_ended = false, has_checked = false;
  std::optional<GzipReader> gzip;
};

bool is_tsv_name(std::string_view file) { return file.ends_with(".tsv") || file.ends_with(".tsv.gz"); }

TextPath::TextPath(const std::string& path) : file(path) {
  const size_t mark = path.rfind('#');
  if (mark == std::string::npos) return;
  const std::string_view before = std::string_view(path).substr(0, mark);
  if (!is_tsv_name(before)) return;
  const auto number = parse_number<size_t>(std::string_view(path).substr(mark + 1));
  if (!number || *number == 0) return;
  file = before;
  column = number;
}

std::string explain_misread_column(const std::string& path) {
  const std::string before_mark = path.substr(0, path.rfind('#'));
  std::error_code unknown;
  if (before_mark == path || !std::filesystem::is_regular_file(before_mark, unknown)) return "";
  return "there is no such file, but " + before_mark +
         " exists; '#1' names the first column of a file whose name ends in .tsv or .tsv.gz: rename the file, or "
         "correct the number";
}

std::string shown_path(const std::string& path) { return path == "-" ? "stdin" : path; }

LineReader::LineReader(const std::string& path) : path_(path) {
  const std::string& file = path_.file;
  const int descriptor = file == "-" ? dup(STDIN_FILENO) : open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    const bool is_missing = errno == ENOENT;
    const Error failure = read_error(shown_path(file));
    const std::string reason = is_missing ? explain_misread_column(file) : "";
    if (!reason.empty()) throw Error("{}: {}", file, reason);
    throw failure;
  }
  source_ = std::make_unique<Source>(descriptor, /*may_have_markup_here=*/path_.column.has_value());
  struct stat status {};
  const bool is_known = fstat(descriptor, &status) == 0;
  if (is_known && S_ISDIR(status.st_mode)) throw read_error(shown_path(file), EISDIR);
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
    throw Error("{}:{}: cannot be read: {}", shown_path(path_.file), line_number_ + 1, error.what());
  }
}

bool LineReader::is_ready() const {
  if (buffer_.find('\n', position_) != std::string::npos) return true;
  pollfd descriptor{.fd = source_->descriptor, .events = POLLIN, .revents = 0};
  return poll(&descriptor, 1, /*timeout=*/0) > 0;
}

void LineReader::keep_column(std::string& line) {
  num_columns_ = 1 + std::count(line.begin(), line.end(), '\t');
  size_t begin = 0;
  for (size_t column = 1; column < *path_.column; ++column) {
    const size_t tab = line.find('\t', begin);
    if (tab == std::string::npos) {
      throw Error("{}:{}: has no column {}, only {}; separate the columns by tabs, or give another column", path_.file,
                  line_number_, *path_.column, counted(num_columns_, "column"));
    }
    begin = tab + 1;
  }
  line = line.substr(begin, line.find('\t', begin) - begin);
}

bool LineReader::next(std::string& line) {
  if (!next_whole_line(line)) return false;
  if (path_.column) keep_column(line);
  return true;
}

bool LineReader::next_whole_line(std::string& line) {
  size_t searched = position_;
  while (true) {
    const size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      line.assign(buffer_, position_, end - position_);
      position_ = end + 1;
      if (++line_number_ == 1) line = without_byte_order_mark(line);
      return true;
    }
    searched = buffer_.size() - position_;
    if (!fill()) break;
  }
  if (line_number_ == 0) buffer_ = without_byte_order_mark(buffer_);
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

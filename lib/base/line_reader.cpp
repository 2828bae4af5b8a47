#include "base/line_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/formats/decompressor.h"
#include "base/formats/segments.h"
#include "base/formats/zip_text.h"
#include "base/other_format.h"
#include "base/parse_number.h"
#include "base/system_error.h"
#include "base/utf8.h"

namespace transformer {

/// The file's text: its bytes, decompressed if the file is compressed, or the lines that its segments make.
struct LineReader::Source {
  Source(int opened, const TextPath& path_here) : descriptor(opened), path(path_here) {}
  ~Source() { close(descriptor); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const int descriptor;

  /// Returns the next bytes of the text, and none at its end. The first ones have a whole line, if there is one.
  std::string next() {
    if (!has_begun) {
      std::string bytes = begin();
      if (!segments) return bytes;
      segments->add(bytes);
    }
    if (!segments) return next_decompressed();
    std::string lines = segments->take_lines();
    while (lines.empty() && !has_ended) {
      const std::string bytes = next_decompressed();
      if (bytes.empty()) {
        has_ended = true;
        segments->finish();
      } else {
        segments->add(bytes);
      }
      lines = segments->take_lines();
    }
    return lines;
  }

  /// The names of the segments that are the lines returned last.
  std::vector<std::string> take_names() { return segments ? segments->take_names() : std::vector<std::string>(); }

  /// The share of the text that has been read, compressed as it may be; 1 for a pipe.
  double share_read() const {
    struct stat status {};
    const off_t position = lseek(descriptor, 0, SEEK_CUR);
    if (position < 0 || fstat(descriptor, &status) != 0 || status.st_size <= 0) return 1;
    const auto size = static_cast<double>(zip_record ? zip_record->size : static_cast<uint64_t>(status.st_size));
    const auto begin = static_cast<double>(zip_record ? zip_record->offset : 0);
    return size == 0 ? 1 : std::min(1.0, (static_cast<double>(position) - begin) / size);
  }

 private:
  /// So much of an archive is read to find the names of its files.
  static constexpr size_t kMaxArchive = size_t{1} << 24;

  /// Finds out what the file is, and returns its beginning.
  std::string begin() {
    has_begun = true;
    std::string compressed = read_some();
    while (!compressed.empty() && may_become_compressed(compressed)) {  // a pipe may give single bytes
      const std::string more = read_some();
      if (more.empty()) break;
      compressed += more;
    }
    if (is_zip(compressed) && path.file.ends_with(".zip") && open_zip_text()) {
      compressed = read_some();
    } else {
      decompressor = decompressor_for(compressed);
    }
    std::string text;
    if (decompressor) {
      decompressor->add(std::move(compressed));
      text = next_decompressed();
    } else {
      text = std::move(compressed);
    }
    for (std::string more = text; !more.empty();) {
      if (is_zip(text) ? text.size() >= kMaxArchive : more.find('\n') != std::string::npos) break;
      more = next_decompressed();
      text += more;
    }
    if (decompressor && decompressor_for(text)) {
      throw Error("{}; decompress it, and give the text file",
                  zip_record ? "the file in this zip archive is compressed itself" : "it is compressed twice");
    }
    if (const std::string format = describe_binary_format(text); !format.empty()) throw Error("it is {}", format);
    if (zip_record && markup_of(text) != Markup::none) {
      throw Error("the text in this zip archive is not one sentence in each line; unpack it, and name the file in it");
    }
    if (!zip_record && !path.column) segments = segment_reader_for(text, path.part, path.file);
    if (const std::string format = describe_named_format(path.file); !segments && !format.empty()) {
      throw Error("it is {}", format);
    }
    return text;
  }

  /// Goes to the text in a zip archive that the path means. Returns false if the file is another zip archive, or a
  /// pipe.
  bool open_zip_text() {
    struct stat status {};
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return false;
    const ReadArchive read = [&](uint64_t position, void* to, size_t count) {
      for (auto* next = static_cast<char*>(to); count > 0;) {
        const ssize_t got = pread(descriptor, next, count, static_cast<off_t>(position));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) throw Error("{}", got < 0 ? last_system_error() : "the file became shorter while it was read");
        next += got;
        position += static_cast<uint64_t>(got);
        count -= static_cast<size_t>(got);
      }
    };
    const auto [name, record] = find_zip_text(static_cast<uint64_t>(status.st_size), read, path.part, path.file);
    if (name.empty()) return false;
    if (lseek(descriptor, static_cast<off_t>(record.offset), SEEK_SET) < 0) throw Error("{}", last_system_error());
    zip_record = record;
    bytes_left = record.size;
    decompressor = decompressor_for(record);
    return true;
  }

  /// Returns bytes as soon as there are any, and none at the end of the file.
  std::string read_some() {
    static constexpr size_t kBlock = size_t{1} << 16;
    if (is_at_end || bytes_left == 0) return "";  // reading on would wait for a terminal again
    std::string bytes(std::min<uint64_t>(kBlock, bytes_left), '\0');
    ssize_t got = 0;
    do {
      got = ::read(descriptor, bytes.data(), bytes.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) throw Error("{}", last_system_error());
    bytes.resize(static_cast<size_t>(got));
    bytes_left -= bytes.size();
    is_at_end = bytes.empty();
    return bytes;
  }

  std::string next_decompressed() {
    if (!decompressor) return read_some();
    std::string text = decompressor->next();
    while (text.empty()) {
      std::string bytes = read_some();
      if (bytes.empty()) break;
      decompressor->add(std::move(bytes));
      text = decompressor->next();
    }
    if (text.empty() && !decompressor->is_complete()) {
      throw Error("the compressed file ends too early; copy or download it again");
    }
    return text;
  }

  const TextPath path;
  bool has_begun = false, is_at_end = false, has_ended = false;  // is_at_end: of the file, has_ended: of the segments
  std::optional<ZipRecord> zip_record;                           // where the text is in a zip archive
  uint64_t bytes_left = UINT64_MAX;                              // to be read of it, if there is an archive
  std::unique_ptr<Decompressor> decompressor;                    // null if the file is not compressed
  std::unique_ptr<SegmentReader> segments;                       // null if the file has one sentence in each line
};

std::string_view without_compression(std::string_view file) {
  for (const std::string_view suffix : {".gz", ".xz", ".zst", ".bz2"}) {
    if (file.ends_with(suffix)) return file.substr(0, file.size() - suffix.size());
  }
  return file;
}

namespace {

/// Whether the name ends like that of a file in another format with parts.
bool has_ending_of_parts(std::string_view file) {
  const std::string_view name = without_compression(file);
  const auto ends = [&](std::string_view suffix) { return name.ends_with(suffix); };
  static constexpr std::array<std::string_view, 10> kSuffixes = {".tmx",  ".xlf",  ".xliff", ".xml",    ".sgm",
                                                                 ".sgml", ".json", ".jsonl", ".ndjson", ".zip"};
  return std::any_of(kSuffixes.begin(), kSuffixes.end(), ends);
}

bool has_parts(std::string_view file) {
  // A pipe has no ending that names its format.
  return file == "-" || file.starts_with("/dev/") || has_ending_of_parts(file);
}

}  // namespace

bool is_name_of_other_format(std::string_view file) {
  return without_compression(file) != file || has_ending_of_parts(file);
}

bool is_tsv_name(std::string_view file) { return without_compression(file).ends_with(".tsv"); }

TextPath::TextPath(const std::string& path) : file(path) {
  const size_t mark = path.rfind('#');
  if (mark == std::string::npos) return;
  const std::string_view before = std::string_view(path).substr(0, mark),
                         behind = std::string_view(path).substr(mark + 1);
  if (has_parts(before) && !behind.empty()) {
    file = before;
    part = behind;
  }
  if (!is_tsv_name(before)) return;
  const auto number = parse_number<size_t>(behind);
  if (!number || *number == 0) return;
  file = before;
  column = number;
}

std::string explain_misread_column(const std::string& path) {
  const std::string before_mark = path.substr(0, path.rfind('#'));
  std::error_code unknown;
  if (before_mark == path || !std::filesystem::is_regular_file(before_mark, unknown)) return "";
  return "there is no such file, but " + before_mark +
         " exists; '#1' names the first column of a file whose name ends in .tsv or .tsv.gz, and '#en' a part of one "
         "in .tmx, .xlf, .xml, .jsonl or .zip: rename the file, or correct the number";
}

std::string shown_path(const std::string& path) { return TextPath(path).file == "-" ? "stdin" : path; }

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
  source_ = std::make_unique<Source>(descriptor, path_);
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
    for (std::string& name : source_->take_names()) segment_names_.push_back(std::move(name));
    buffer_ += more;
    return !more.empty();
  } catch (const FormatError& error) {
    throw Error("{}:{}: {}", shown_path(path_.file), error.line(), error.what());
  } catch (const Error& error) {
    throw Error("{}:{}: cannot be read: {}", shown_path(path_.file), line_number_ + 1, error.what());
  }
}

bool LineReader::is_ready() const {
  if (buffer_.find('\n', position_) != std::string::npos) return true;
  pollfd descriptor{.fd = source_->descriptor, .events = POLLIN, .revents = 0};
  return poll(&descriptor, 1, /*timeout=*/0) > 0;
}

double LineReader::share_read() const { return source_->share_read(); }

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
  if (!segment_names_.empty()) {
    segment_name_ = std::move(segment_names_.front());
    segment_names_.pop_front();
  }
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

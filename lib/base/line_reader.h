#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace transformer {

/// Reads a text file line by line. The file may be plain or gzip-compressed, which is recognised by its content and not
/// by its name; the path "-" is stdin. Lines end at '\n' only: CR, U+2028, NUL and invalid UTF-8 are part of the line.
/// A last line without '\n' counts as a line. Throws Error if the file is missing, unreadable or damaged.
class LineReader {
 public:
  explicit LineReader(const std::string& path);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// Stores the next line, without its '\n', in `line`; returns false at the end of the file.
  bool next(std::string& line);
  /// Whether `next` finds input without waiting for the process that writes into the pipe or terminal.
  bool is_ready() const;
  /// The number of the line that `next` returned last, counted from 1.
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

}  // namespace transformer

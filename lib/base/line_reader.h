#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transformer {

/// The file of a text, and what of it is the text. "corpus.tsv#2" and "corpus.tsv.gz#2" are column 2 of a file with
/// tab-separated columns. Behind the name of a file in another format (.tmx, .xlf, .xliff, .xml, .sgm, .sgml, .json,
/// .jsonl or .ndjson, also compressed, or .zip), '#' names the part of it to read, as in "memory.tmx#en",
/// "pairs.jsonl#text" and "News.zip#de"; likewise behind "-" and the path of a pipe, as in "/dev/stdin#en". Every other
/// path is that of a file whose lines, or segments, are the text.
struct TextPath {
  explicit TextPath(const std::string& path);

  std::string file;
  std::optional<size_t> column;  // counted from 1
  std::string part;              // of a file in another format; empty if none is named
};

/// Whether the name ends like that of a compressed file, or of one in another format with parts (TextPath).
bool is_name_of_other_format(std::string_view file);

/// The name without the ending of its compression, such as ".gz".
std::string_view without_compression(std::string_view file);

/// Whether this is the name of a file with tab-separated columns: it ends in .tsv, or .tsv.gz or the like.
bool is_tsv_name(std::string_view file);

/// Why a path such as "pairs.txt#1" names no column or part of the file before the '#', which exists; empty for other
/// paths.
std::string explain_misread_column(const std::string& path);

/// What messages call the file or text of this path: "stdin" for "-" and a part of it.
std::string shown_path(const std::string& path);

/// Reads a text, named as TextPath says, line by line. The file may be compressed with gzip, xz, zstd or bzip2, and in
/// another format than one sentence in each line, whose segments are then its lines (base/formats/segments.h). Both are
/// recognized by its content; the path "-" is stdin. Of a zip archive, one file is read (base/formats/zip_text.h).
/// Lines end at '\n' only: CR, U+2028, NUL and invalid UTF-8 are part of the line, but a byte order mark (U+FEFF) at
/// the beginning of the file is not. A last line without '\n' counts as a line. Throws Error if the file is missing,
/// damaged or in a format that is not read (base/other_format.h), or lacks the column or part.
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
  /// The share of the text that has been read, from 0 to 1, compressed as it may be; 1 for a pipe.
  double share_read() const;
  /// The name of the segment that `next` returned last, such as "doc-3 segment 7", if the file is a test set that has
  /// ids; empty otherwise.
  const std::string& segment_name() const { return segment_name_; }
  /// The number of columns that this line has in the file, if the path names one of them; 1 otherwise.
  int64_t num_columns() const { return num_columns_; }

 private:
  bool fill();
  bool next_whole_line(std::string& line);
  /// Replaces a line by its column `path_.column`. Throws Error if the line has fewer columns.
  void keep_column(std::string& line);

  struct Source;
  TextPath path_;
  std::unique_ptr<Source> source_;
  std::string buffer_;
  size_t position_ = 0;
  int64_t line_number_ = 0;
  int64_t num_columns_ = 1;
  std::deque<std::string> segment_names_;  // of the lines in buffer_, if the file has segments
  std::string segment_name_;
};

/// All lines of a text, and their number. Both take the paths of LineReader and throw Error as it does.
std::vector<std::string> read_lines(const std::string& path);
int64_t count_lines(const std::string& path);

}  // namespace transformer

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace transformer {

/// An error in a line of a file. `line` is counted from 1; the message lacks the place.
class FormatError : public Error {
 public:
  template <class... Args>
  FormatError(int64_t line, fmt::format_string<Args...> format, Args&&... args)
      : Error(format, std::forward<Args>(args)...), line_(line) {}
  int64_t line() const { return line_; }

 private:
  int64_t line_;
};

/// Finds the segments in a file of another format than one sentence in each line, as the file comes, and makes each a
/// line. A unit that lacks what is read of it becomes an empty line, so that line n of two languages of a file belongs
/// to the same unit.
class SegmentReader {
 public:
  virtual ~SegmentReader() = default;
  SegmentReader(const SegmentReader&) = delete;
  SegmentReader& operator=(const SegmentReader&) = delete;

  /// Reads on in the file. Throws FormatError if it is damaged or lacks what is to be read.
  virtual void add(std::string_view bytes) = 0;
  /// Call it at the end of the file. Throws like `add`, and if the file has no segments.
  void finish();
  /// The lines that were found since the last call, each with its '\n'.
  std::string take_lines() { return std::exchange(lines_, ""); }
  /// The names of the segments in these lines, such as "doc-3 segment 7"; empty for segments without one.
  std::vector<std::string> take_names() { return std::exchange(names_, {}); }

 protected:
  SegmentReader() = default;
  /// Throws FormatError if the file ends too early or lacks what is to be read.
  virtual void end_file() = 0;
  bool has_segments() const { return has_segments_; }
  /// Adds a segment, in which line breaks, with the blanks beside them, become one space.
  void add_segment(std::string_view text, std::string name = "");

 private:
  std::string lines_;
  std::vector<std::string> names_;
  bool has_segments_ = false;
};

/// A segment that is longer is an error, because it must be held in memory as a whole.
inline constexpr size_t kMaxSegmentBytes = size_t{1} << 20;

/// A language of a TMX or XLIFF file without the mark by which a path keeps the inline tags: "en" for "en+tags".
std::string without_tags_mark(const std::string& part);

/// What messages call a segment of a test set, by the ids of its document and its own; empty if one of them is.
std::string segment_name(const std::string& document, const std::string& segment);

/// Whether there are letters in a piece of text that stands outside of the segments, where it would be lost.
bool has_letters(std::string_view text);

/// The reader for a file that begins with these bytes; null if it is text with one sentence in each line. `part` is
/// what the path names behind '#', or empty: a language of a TMX or XLIFF file or of a test set, or a field of JSON
/// Lines. `file` is the path for examples in messages. Throws Error, whose message says what the file is and what to do
/// instead, if the beginning is that of a document that is not read.
std::unique_ptr<SegmentReader> segment_reader_for(std::string_view beginning, const std::string& part,
                                                  const std::string& file);

std::unique_ptr<SegmentReader> make_xml_reader(const std::string& part, const std::string& file);
std::unique_ptr<SegmentReader> make_sgml_reader();
std::unique_ptr<SegmentReader> make_json_lines_reader(const std::string& field, const std::string& file);

}  // namespace transformer

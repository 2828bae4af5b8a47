#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/found_lines.h"
#include "base/line_reader.h"

namespace transformer {

/// Counts the units of a file in another format that have no text in the part that its path names, such as those of a
/// translation memory that lack a language. LineReader makes each an empty line.
class UnitsWithoutText {
 public:
  /// `path` as for LineReader.
  explicit UnitsWithoutText(const std::string& path);

  /// Adds the next line of the text.
  void add(std::string_view line);
  /// "memory.tmx#de:2: 3 of 9 units have no text in 'de', this one first; CONSEQUENCE"; empty if none lacks it.
  std::string warning(const std::string& consequence) const;
  /// Logs it.
  void warn(const std::string& consequence) const;

 private:
  std::string shown_path_, part_;  // part_: empty if the lines are no units
  int64_t num_units_ = 0;
  FoundLines without_text_;
};

}  // namespace transformer

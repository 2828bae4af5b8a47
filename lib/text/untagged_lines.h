#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/found_lines.h"

namespace transformer {

/// What to do about lines without a tag where an option names one to put before them.
inline constexpr const char* kRemedyForUntagged = "write it before each line, or give it as the tag";

/// The lines of a source text that lack the tag with which every source line of the training text began, and by which
/// a model may choose what it writes, such as the language.
class UntaggedLines {
 public:
  /// The tags of all training corpora, "" for one that has none. No line lacks a tag if a corpus has none, if there are
  /// no tags, or if one is chosen for lines without one (SourceTags).
  explicit UntaggedLines(std::vector<std::string> tags, const std::optional<std::string>& chosen = {});

  /// Whether a line lacks a tag; a blank one does not.
  bool lacks_tag(std::string_view line) const;
  /// A list of the tags for messages, such as "<2de> or <2fr>".
  std::string list_of_tags() const;
  /// How a message refers to that list: "this tag" or "one of these tags".
  const char* one_of_them() const { return tags_.size() == 1 ? "this tag" : "one of these tags"; }

  /// `number` is the line's in the text, from 1; by default it is the one after the last.
  void add(std::string_view line, std::optional<int64_t> number = {});
  /// Logs a warning if the text that messages call `text` has such lines; blank ones do not count.
  void warn(const std::string& text, const char* remedy = "write it before each line") const;

 private:
  std::vector<std::string> tags_;  // sorted, each once; empty: lines need none
  int64_t number_ = 0;             // of the last line
  FoundLines untagged_;
};

}  // namespace transformer

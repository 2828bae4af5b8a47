#pragma once

#include <string>
#include <string_view>

#include "base/found_lines.h"

namespace transformer {

/// Without the CR that CRLF files leave at the end of a line.
std::string_view without_carriage_return(std::string_view line);

/// Whether a line of a translation is a copy of its source line; empty lines are not.
bool is_copy(std::string_view source_line, std::string_view target_line);

/// A line of text in the form that the tokenizer expects: without a CR at its end, with NUL, which would end the text
/// for many programs, replaced by a space, and with invalid UTF-8 replaced by U+FFFD (replace_invalid_utf8).
struct CleanLine {
  std::string text;
  bool was_invalid;  // whether the line contained invalid UTF-8
};

CleanLine clean_line(std::string_view line);

/// The beginning of a message about `lines` with invalid UTF-8 in the text that messages call `text`: "FILE:7: not
/// UTF-8, the first of 3 such lines".
std::string describe_invalid_lines(const std::string& text, const FoundLines& lines);

/// Logs a warning if the text that messages call `text` has `lines` with invalid UTF-8.
void warn_of_invalid_lines(const std::string& text, const FoundLines& lines);

}  // namespace transformer

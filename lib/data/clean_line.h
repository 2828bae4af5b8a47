#pragma once

#include <string>
#include <string_view>

namespace transformer {

/// A line of text as the tokenizer takes it: without the CR that CRLF files leave at its end, with blanks for NUL,
/// which would end the text for many readers of it, and with U+FFFD for bytes that are not UTF-8.
struct CleanLine {
  std::string text;
  bool was_invalid;  // held bytes that are not UTF-8
};

CleanLine clean_line(std::string_view line);

}  // namespace transformer

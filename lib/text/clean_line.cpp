#include "text/clean_line.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/format.h"
#include "base/log.h"
#include "base/utf8.h"

namespace transformer {

std::string_view without_carriage_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_copy(std::string_view source_line, std::string_view target_line) {
  const auto source = without_carriage_return(source_line);
  return !source.empty() && without_carriage_return(target_line) == source;
}

CleanLine clean_line(std::string_view line) {
  std::string text(without_carriage_return(line));
  std::replace(text.begin(), text.end(), '\0', ' ');
  std::string valid = replace_invalid_utf8(text);
  const bool was_invalid = valid != text;
  return {std::move(valid), was_invalid};
}

std::string describe_invalid_lines(const std::string& text, const FoundLines& lines) {
  return fmt::format("{}:{}: not UTF-8, {}", text, lines.first, first_of_such_lines(lines.count));
}

void warn_of_invalid_lines(const std::string& text, const FoundLines& lines) {
  if (lines.count == 0) return;
  log_warning("{}; the invalid bytes were replaced by U+FFFD", describe_invalid_lines(text, lines));
}

}  // namespace transformer

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
  CleanLine clean{std::string(without_carriage_return(line)), false};
  std::replace(clean.text.begin(), clean.text.end(), '\0', ' ');
  clean.was_invalid = !is_valid_utf8(clean.text);
  if (clean.was_invalid) clean.text = replace_invalid_utf8(clean.text);
  return clean;
}

std::string describe_invalid_lines(const std::string& text, const FoundLines& lines) {
  return fmt::format("{}:{}: not UTF-8, {}", text, lines.first, first_of_such_lines(lines.count));
}

void warn_of_invalid_lines(const std::string& text, const FoundLines& lines) {
  if (lines.count == 0) return;
  log_warning("{}; the invalid bytes were replaced by U+FFFD", describe_invalid_lines(text, lines));
}

}  // namespace transformer

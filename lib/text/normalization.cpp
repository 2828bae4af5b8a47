#include "text/normalization.h"

#include <charconv>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/read_file.h"
#include "base/words.h"

namespace transformer {
namespace {

bool is_character(std::string_view number) {
  uint32_t character = 0;
  const char* end = number.data() + number.size();
  const auto [stop, failure] = std::from_chars(number.data(), end, character, /*base=*/16);
  const bool is_surrogate = character >= 0xD800 && character <= 0xDFFF;
  return failure == std::errc() && stop == end && character > 0 && character <= 0x10FFFF && !is_surrogate;
}

/// Whether the text consists of the numbers of characters, of at least `min_count`, with blanks between them.
bool are_characters(const std::string& text, int64_t min_count) {
  std::vector<std::string> numbers = split(text, ' ');
  std::erase(numbers, "");
  return std::ssize(numbers) >= min_count && std::all_of(numbers.begin(), numbers.end(), is_character);
}

bool is_rule(const std::string& line) {
  const std::vector<std::string> fields = split(line, '\t');
  return !fields.empty() && are_characters(fields[0], 1) && (fields.size() == 1 || are_characters(fields[1], 0));
}

}  // namespace

// SentencePiece ends the process at a line that it cannot read.
void check_normalization_rules(const std::string& path) {
  const std::vector<std::string> lines = split(read_file(path), '\n');
  if (lines.empty()) throw Error("{}: has no normalization rule; give the rule identity instead", path);
  const auto wrong = std::find_if_not(lines.begin(), lines.end(), is_rule);
  if (wrong == lines.end()) return;
  throw Error(
      "{}:{}: not a normalization rule; write the hexadecimal numbers of the characters to replace, a tab, and the "
      "numbers of those that replace them, and end the line with LF, not CR LF",
      path, wrong - lines.begin() + 1);
}

}  // namespace transformer

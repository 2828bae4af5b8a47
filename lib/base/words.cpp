#include "base/words.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace transformer {

std::string_view trimmed(std::string_view text) {
  const size_t first = std::min(text.find_first_not_of(kBlanks), text.size());
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool is_in(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<std::string> split_words(const std::string& line) {
  static constexpr const char* kWhitespace = " \t\n\v\f\r";
  std::vector<std::string> words;
  for (size_t begin = line.find_first_not_of(kWhitespace); begin != std::string::npos;) {
    const size_t end = std::min(line.find_first_of(kWhitespace, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kWhitespace, end);
  }
  return words;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

}  // namespace transformer

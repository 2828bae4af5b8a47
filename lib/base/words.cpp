#include "base/words.h"

#include <algorithm>
#include <sstream>

namespace transformer {

std::vector<std::string> split_words(const std::string& line) {
  static constexpr const char* kBlanks = " \t\n\v\f\r";
  std::vector<std::string> words;
  for (size_t begin = line.find_first_not_of(kBlanks); begin != std::string::npos;) {
    const size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlanks, end);
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

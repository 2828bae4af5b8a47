#pragma once

#include <string_view>

namespace transformer {

/// How often `part` occurs in the text.
inline size_t count(std::string_view text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace transformer

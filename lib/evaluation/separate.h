#pragma once

#include <string>

namespace transformer {

/// Inserts a space between two neighboring characters that match, and optionally before or after both. As in a search
/// with a regular expression, matches are found from left to right and do not overlap.
template <class Char, class Matches>
std::basic_string<Char> separate_pairs(const std::basic_string<Char>& text, bool space_before, bool space_after,
                                       Matches matches) {
  std::basic_string<Char> out;
  out.reserve(2 * text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && matches(text[i], text[i + 1])) {
      if (space_before) out += ' ';
      out += {text[i], ' ', text[i + 1]};
      if (space_after) out += ' ';
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// Inserts a space before and after each character that matches.
template <class Char, class Matches>
std::basic_string<Char> surround(const std::basic_string<Char>& text, Matches matches) {
  std::basic_string<Char> out;
  out.reserve(2 * text.size());
  for (const Char c : text) {
    if (matches(c)) {
      out += {' ', c, ' '};
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace transformer

#include "evaluation/tokenize_13a.h"

#include <utility>

namespace transformer {
namespace {

// sacreBLEU's regular expressions act on code points, the functions below on bytes. For UTF-8 that
// is the same: each pattern names only ASCII characters, and no byte of a longer character is one
// of those.

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_point_or_comma(char c) { return c == '.' || c == ','; }

/// ASCII punctuation and the space, without ' , - and the point.
bool is_symbol(char c) {
  return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

/// Python's str.replace: left to right, without looking again at what was written.
void replace_all(std::string& text, std::string_view from, std::string_view to) {
  size_t found = text.find(from);
  if (found == std::string::npos) return;
  std::string out;
  size_t begin = 0;
  for (; found != std::string::npos; found = text.find(from, begin)) {
    out.append(text, begin, found - begin).append(to);
    begin = found + from.size();
  }
  out.append(text, begin);
  text = std::move(out);
}

std::string surround_symbols(std::string_view text) {
  std::string out;
  out.reserve(2 * text.size());
  for (const char c : text) {
    if (is_symbol(c)) {
      out += {' ', c, ' '};
    } else {
      out += c;
    }
  }
  return out;
}

/// Each two neighbours that match become `before`, the first, a space, the second, `after`. As in
/// Python's re.sub, a character belongs to one match at most, the leftmost.
template <class Matches>
std::string separate_pairs(std::string_view text, std::string_view before, std::string_view after, Matches matches) {
  std::string out;
  out.reserve(2 * text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && matches(text[i], text[i + 1])) {
      out += before;
      out += {text[i], ' ', text[i + 1]};
      out += after;
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// The number of bytes of the whitespace character at `text[start]`, 0 where there is none.
/// Whitespace is what Python's str.isspace() is true for.
size_t whitespace_length(std::string_view text, size_t start) {
  const char first = text[start];
  if (static_cast<unsigned char>(first) < 0x80) {
    return (first >= '\t' && first <= '\r') || (first >= '\x1C' && first <= ' ') ? 1 : 0;
  }
  if (first == '\xC2') {
    const std::string_view two = text.substr(start, 2);
    return two == "\u0085" || two == "\u00A0" ? 2 : 0;
  }
  if (first < '\xE1' || first > '\xE3') return 0;
  const std::string_view three = text.substr(start, 3);
  const bool is_space = three == "\u1680" || (three >= "\u2000" && three <= "\u200A") || three == "\u2028" ||
                        three == "\u2029" || three == "\u202F" || three == "\u205F" || three == "\u3000";
  return is_space ? 3 : 0;
}

}  // namespace

std::string tokenize_13a(std::string_view line) {
  // The spaces at both ends stand in for the neighbours that the patterns of two characters ask
  // for.
  std::string text = " ";
  text += line;
  text += ' ';

  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");  // Before the next two: "&amp;lt;" becomes "<".
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");

  text = surround_symbols(text);
  text = separate_pairs(text, "", " ",
                        [](char first, char second) { return !is_digit(first) && is_point_or_comma(second); });
  text = separate_pairs(text, " ", "",
                        [](char first, char second) { return is_point_or_comma(first) && !is_digit(second); });
  text = separate_pairs(text, "", " ", [](char first, char second) { return is_digit(first) && second == '-'; });

  std::string words;
  words.reserve(text.size());
  for (const std::string_view word : split_at_whitespace(text)) {
    if (!words.empty()) words += ' ';
    words += word;
  }
  return words;
}

std::vector<std::string_view> split_at_whitespace(std::string_view text) {
  std::vector<std::string_view> pieces;
  size_t begin = 0;
  for (size_t i = 0; i < text.size();) {
    const size_t length = whitespace_length(text, i);
    if (length == 0) {
      ++i;
      continue;
    }
    if (i > begin) pieces.push_back(text.substr(begin, i - begin));
    i += length;
    begin = i;
  }
  if (begin < text.size()) pieces.push_back(text.substr(begin));
  return pieces;
}

std::string_view strip_trailing_whitespace(std::string_view text) {
  size_t end = 0;
  for (size_t i = 0; i < text.size();) {
    const size_t length = whitespace_length(text, i);
    i += length == 0 ? 1 : length;
    if (length == 0) end = i;
  }
  return text.substr(0, end);
}

}  // namespace transformer

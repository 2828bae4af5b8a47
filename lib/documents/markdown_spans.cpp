#include "documents/markdown_spans.h"

#include <algorithm>

#include "base/words.h"

namespace transformer {
namespace {

/// The size of the destination and title of a link in parentheses, with which a text begins; 0 if they do not end.
size_t size_of_address(std::string_view text) {
  size_t depth = 0;
  char quotation = '\0';  // in which the position is
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\') {
      ++i;
    } else if (quotation != '\0') {
      if (c == quotation) quotation = '\0';
    } else if (c == '<' && i == 1) {
      quotation = '>';
    } else if ((c == '"' || c == '\'') && is_blank(text[i - 1])) {
      quotation = c;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')' && --depth == 0) {
      return i + 1;
    }
  }
  return 0;
}

size_t size_of_link_end(std::string_view behind) {
  if (behind.starts_with('>')) return 1;
  if (!behind.starts_with(']')) return 0;
  if (behind.substr(1).starts_with('(')) return 1 + size_of_address(behind.substr(1));
  if (!behind.substr(1).starts_with('[')) return 1;
  return behind.find(']', 1) + 1;
}

/// How often a text begins with a character.
size_t size_of_run(std::string_view text, char c) { return std::min(text.find_first_not_of(c), text.size()); }

size_t size_of_emphasis(std::string_view marks, MD_SPANTYPE type) {
  const size_t size = type == MD_SPAN_EM ? 1 : 2;
  const bool is_mark = !marks.empty() && (marks[0] == '*' || marks[0] == '_');
  return is_mark && size_of_run(marks, marks[0]) >= size ? size : 0;
}

}  // namespace

size_t opening_size(std::string_view before, MD_SPANTYPE type) {
  const auto ends_with_run = [&](char c) { return before.size() - (before.find_last_not_of(c) + 1); };
  switch (type) {
    case MD_SPAN_EM:
    case MD_SPAN_STRONG: {
      const size_t size = type == MD_SPAN_EM ? 1 : 2;
      return before.size() < size ? 0 : size_of_emphasis(before.substr(before.size() - size), type);
    }
    case MD_SPAN_DEL:
      return std::min<size_t>(ends_with_run('~'), 2);
    case MD_SPAN_A:
      return before.ends_with('[') || before.ends_with('<') ? 1 : 0;
    case MD_SPAN_IMG:
      return before.ends_with("![") ? 2 : 0;
    case MD_SPAN_CODE: {
      const size_t blanks = before.size() - (before.find_last_not_of(kBlanks) + 1);
      before.remove_suffix(blanks);
      return blanks + ends_with_run('`');
    }
    default:
      return 0;
  }
}

size_t closing_size(std::string_view behind, MD_SPANTYPE type) {
  switch (type) {
    case MD_SPAN_EM:
    case MD_SPAN_STRONG:
      return size_of_emphasis(behind, type);
    case MD_SPAN_DEL:
      return std::min<size_t>(size_of_run(behind, '~'), 2);
    case MD_SPAN_A:
    case MD_SPAN_IMG:
      return size_of_link_end(behind);
    case MD_SPAN_CODE: {
      const size_t blanks = std::min(behind.find_first_not_of(kBlanks), behind.size());
      return blanks + size_of_run(behind.substr(blanks), '`');
    }
    default:
      return 0;
  }
}

}  // namespace transformer

#include "documents/document_lines.h"

#include <algorithm>

#include "base/utf8.h"

namespace transformer {

std::vector<DocumentLine> lines_of(std::string_view text) {
  std::vector<DocumentLine> lines;
  for (size_t begin = text.size() - without_byte_order_mark(text).size(); begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const size_t next = std::min(end + 1, text.size());
    lines.push_back(
        {begin, end > begin && text[end - 1] == '\r' ? end - 1 : end, next, static_cast<int64_t>(lines.size()) + 1});
    begin = next;
  }
  return lines;
}

}  // namespace transformer

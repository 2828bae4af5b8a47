#include "data/sentence_pairs.h"

#include "base/format.h"

namespace transformer {

std::string line_numbers(const SentencePairs& all, const std::vector<int64_t>& pairs) {
  static constexpr size_t kMaxShown = 10;
  std::vector<std::string> lines;
  for (const int64_t pair : pairs) lines.push_back(std::to_string(all[pair].line));
  return enumeration(lines, "and", kMaxShown);
}

}  // namespace transformer

#include "evaluation/text_kind.h"

#include <algorithm>

#include "base/log.h"
#include "evaluation/bleu.h"
#include "evaluation/characters.h"

namespace transformer {

bool looks_tokenized(const std::vector<std::string>& hypotheses) {
  return std::count_if(hypotheses.begin(), hypotheses.end(),
                       [](const std::string& line) { return strip_trailing_whitespace(line).ends_with(" ."); }) >= 100;
}

bool has_few_spaces(const std::vector<std::string>& lines) {
  static constexpr size_t kMinBytes = 1000, kBytesPerSpace = 50;
  size_t bytes = 0, spaces = 0;
  for (const std::string& line : lines) {
    bytes += line.size();
    spaces += static_cast<size_t>(std::count(line.begin(), line.end(), ' '));
  }
  return bytes >= kMinBytes && spaces * kBytesPerSpace < bytes;
}

bool has_four_words(const std::vector<std::string>& lines, const WordTokenizer& tokenize) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return split_at_whitespace(tokenize(strip_trailing_whitespace(line))).size() >= kMaxNgramOrder;
  });
}

void warn_of_few_spaces(const std::string& file, const std::vector<std::string>& lines, Tokenization tokenization,
                        const std::string& remedy) {
  const bool needs_no_spaces =
      tokenization == Tokenization::zh || tokenization == Tokenization::character || needs_model(tokenization);
  if (needs_no_spaces || !has_few_spaces(lines)) return;
  log_warning(
      "{}: has hardly any spaces, so that BLEU counts long stretches of text as words and stays near 0; {} zh or char",
      file, remedy);
}

}  // namespace transformer

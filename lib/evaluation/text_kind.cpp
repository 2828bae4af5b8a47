#include "evaluation/text_kind.h"

#include <algorithm>

#include "base/log.h"
#include "base/utf8.h"
#include "evaluation/bleu.h"
#include "evaluation/characters.h"
#include "text/sentences.h"

namespace transformer {
namespace {

/// Whether most characters are of scripts without spaces between words.
bool is_mostly_unspaced(const std::vector<std::string>& lines) {
  size_t characters = 0, unspaced = 0;
  for (const std::string& line : lines) {
    const std::u32string text = decode_utf8(line);
    characters += text.size();
    unspaced += static_cast<size_t>(std::count_if(text.begin(), text.end(), is_unspaced));
  }
  return 2 * unspaced > characters;
}

}  // namespace

bool looks_tokenized(const std::vector<std::string>& hypotheses) {
  return std::count_if(hypotheses.begin(), hypotheses.end(),
                       [](const std::string& line) { return strip_trailing_whitespace(line).ends_with(" ."); }) >= 100;
}

bool has_few_spaces(const std::vector<std::string>& lines) {
  static constexpr size_t kMinBytes = 1000, kBytesPerSpace = 50;
  size_t bytes = 0, spaces = 0, filled = 0;
  for (const std::string& line : lines) {
    bytes += line.size();
    filled += strip_whitespace(line).empty() ? 0 : 1;
    spaces += static_cast<size_t>(std::count(line.begin(), line.end(), ' '));
  }
  if (bytes < kMinBytes || spaces * kBytesPerSpace >= bytes) return false;
  return filled * kBytesPerSpace <= bytes || is_mostly_unspaced(lines);
}

bool has_four_words(const std::vector<std::string>& lines, const WordTokenizer& tokenize) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return split_at_whitespace(tokenize(strip_trailing_whitespace(line))).size() >= kMaxNgramOrder;
  });
}

bool warn_of_few_spaces(const std::string& file, const std::vector<std::string>& lines, Tokenization tokenization,
                        const std::string& remedy) {
  const bool needs_no_spaces =
      tokenization == Tokenization::zh || tokenization == Tokenization::character || needs_model(tokenization);
  if (needs_no_spaces || !has_few_spaces(lines)) return false;
  log_warning(
      "{}: has hardly any spaces, so that BLEU counts long stretches of text as words and stays near 0; {} zh or char",
      file, remedy);
  return true;
}

}  // namespace transformer

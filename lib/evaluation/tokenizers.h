#pragma once

#include <string>
#include <string_view>

namespace transformer {

/// The ways of cutting a line into words that BLEU may count with. All but the last are sacreBLEU's.
enum class Tokenization { mteval_13a, intl, zh, character, none, paper };

/// The name in a signature and on the command line: "13a", "intl", "zh", "char", "none", "moses-de-atat".
const char* name_of(Tokenization tokenization);

/// The words of the line, with whitespace between them.
std::string tokenize(Tokenization tokenization, std::string_view line);

/// Cuts a line into words as mteval-v13a.pl does, the script of the WMT evaluations, and joins them
/// with single spaces: "Hello, world (3.5)!" is "Hello , world ( 3.5 ) !". The same as sacreBLEU's
/// Tokenizer13a for valid UTF-8; bytes that are not UTF-8 count as letters.
std::string tokenize_13a(std::string_view line);

/// As mteval-v14.pl does with international tokenization: separates Unicode's punctuation, but between digits, and
/// its symbols.
std::string tokenize_intl(std::string_view line);

/// Chinese: each character of the Chinese blocks is a word; the rest is cut as in 13a.
std::string tokenize_zh(std::string_view line);

/// Every character is a word.
std::string tokenize_characters(std::string_view line);

/// `words` with single spaces between what whitespace separates.
std::string with_single_spaces(std::string_view words);

}  // namespace transformer

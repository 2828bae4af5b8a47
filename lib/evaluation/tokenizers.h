#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/enum_names.h"

namespace transformer {

/// The tokenizations for BLEU. All but `paper` are sacreBLEU's.
enum class Tokenization { mteval_13a, intl, zh, character, none, paper };

/// As in signatures and on the command line.
template <>
struct EnumNames<Tokenization> {
  static constexpr std::array names = {"13a", "intl", "zh", "char", "none", "moses-de-atat"};
};

/// The words of the line, separated by whitespace.
std::string tokenize(Tokenization tokenization, std::string_view line);

/// Separates words by single spaces as mteval-v13a.pl, the script of the WMT evaluations, does: "Hello, world (3.5)!"
/// becomes "Hello , world ( 3.5 ) !". Equal to sacreBLEU's Tokenizer13a for valid UTF-8; other bytes count as letters.
std::string tokenize_13a(std::string_view line);

/// International tokenization of mteval-v14.pl: separates punctuation, except between digits, and symbols, both as
/// defined by Unicode.
std::string tokenize_intl(std::string_view line);

/// Chinese: each character of the Chinese blocks is a word; other text is tokenized as in 13a.
std::string tokenize_zh(std::string_view line);

/// Every character is a word.
std::string tokenize_characters(std::string_view line);

/// Replaces each run of whitespace by a single space, and removes whitespace at both ends.
std::string with_single_spaces(std::string_view words);

}  // namespace transformer

#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/enum_names.h"

namespace transformer {

/// The tokenizations for BLEU. All but `paper` are sacreBLEU's.
enum class Tokenization {
  mteval_13a,  // of mteval-v13a.pl, the script of the WMT evaluations: "Hello (3.5)!" becomes "Hello ( 3.5 ) !"
  intl,        // of mteval-v14.pl: separates Unicode's punctuation, except between digits, and symbols
  zh,          // each Chinese character is a word; other text is tokenized as in 13a
  character,   // every character is a word
  none,        // the line as it is
  paper,       // of Moses, with split German compounds
};

/// As in signatures and on the command line.
template <>
struct EnumNames<Tokenization> {
  static constexpr std::array names = {"13a", "intl", "zh", "char", "none", "moses-de-atat"};
};

/// The words of the line, separated by whitespace.
std::string tokenize(Tokenization tokenization, std::string_view line);

}  // namespace transformer

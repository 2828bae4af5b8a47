#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "base/enum_names.h"

namespace transformer {

class Tokenizer;

/// The tokenizations for BLEU. All but `paper` are sacreBLEU's.
enum class Tokenization {
  mteval_13a,  // of mteval-v13a.pl, the script of the WMT evaluations: "Hello (3.5)!" becomes "Hello ( 3.5 ) !"
  intl,        // of mteval-v14.pl: separates Unicode's punctuation, except between digits, and symbols
  zh,          // each Chinese character is a word; other text is tokenized as in 13a
  character,   // every character is a word
  none,        // the line as it is
  flores101,   // the pieces of the SentencePiece model of FLORES-101 (Goyal et al., 2022), for any language
  flores200,   // of the model of FLORES-200 (NLLB Team, 2022)
  spbleu_1k,   // of the model for 1,003 languages
  spm,         // sacreBLEU's older name of flores101
  paper,       // of Moses, with split German compounds
};

/// As in signatures and on the command line.
template <>
struct EnumNames<Tokenization> {
  static constexpr std::array names = {"13a",       "intl",      "zh",        "char", "none",
                                       "flores101", "flores200", "spBLEU-1K", "spm",  "moses-de-atat"};
};

/// Whether the tokenization is that of a SentencePiece model, which is not a part of this program.
inline bool needs_model(Tokenization tokenization) {
  return tokenization == Tokenization::flores101 || tokenization == Tokenization::flores200 ||
         tokenization == Tokenization::spbleu_1k || tokenization == Tokenization::spm;
}

/// Splits lines into words for BLEU.
class WordTokenizer {
 public:
  /// `model` is the path of the SentencePiece model that the tokenization needs, otherwise empty. Throws Error if it
  /// cannot be read or is none.
  WordTokenizer(Tokenization tokenization, const std::string& model = "");

  /// The words of the line, separated by whitespace.
  std::string operator()(std::string_view line) const;

 private:
  Tokenization tokenization_;
  std::shared_ptr<const Tokenizer> pieces_;  // null unless the tokenization needs a model
};

/// The tokenization of TER. The default values are sacreBLEU's.
struct TercomOptions {
  bool case_sensitive = false;
  bool normalized = false;      // separates punctuation
  bool no_punctuation = false;  // removes punctuation
  bool asian_support = false;   // the last two for Chinese and Japanese as well, where each ideograph is a word
};

/// The words of the line, separated by whitespace.
std::string tokenize_tercom(const TercomOptions& options, std::string_view line);

}  // namespace transformer

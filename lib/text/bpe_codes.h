#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace transformer {

/// The merges of a file of codes of subword-nmt, with which older models of Marian, fairseq and others divide text into
/// pieces. Words are what spaces separate; the text must be normalized and tokenized as for training.
class BpeCodes {
 public:
  /// Reads a file of codes, of version 0.1 or 0.2. Throws Error, whose message is the reason without the name of the
  /// file, if it is none.
  explicit BpeCodes(std::string_view codes);

  /// The pieces of the text's words, as subword-nmt's apply-bpe writes them: "lo@@", "w".
  std::vector<std::string> apply(std::string_view text) const;

 private:
  std::vector<std::string> divide(std::string_view word) const;

  std::unordered_map<std::string, int64_t> rank_of_pair_;  // by "lo w</w>"
  bool marks_last_character_ = false;                      // version 0.2: "w</w>" instead of "w" and "</w>"
};

/// `text` with the pieces of words joined again: "lo@@ w" becomes "low".
std::string joined_bpe_pieces(std::string_view text);

/// The bytes of a SentencePiece model with a file of codes in an extension field, which SentencePiece ignores; the
/// codes divide text instead of the model.
std::string with_bpe_codes(std::string model_bytes, std::string_view codes);

/// The codes in the bytes of a SentencePiece model, if they have any.
std::optional<std::string> bpe_codes_of(std::string_view model_bytes);

}  // namespace transformer

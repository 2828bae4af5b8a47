#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace transformer {

/// The characters of a line that `written`, the text that the line's pieces give, has less often; without blanks, which
/// pieces keep to one between two words, and sorted.
std::u32string lost_characters(std::string_view line, std::string_view written);

/// The texts of a vocabulary's pieces.
class PieceTexts {
 public:
  /// Refers to the tokenizer.
  explicit PieceTexts(const Tokenizer& tokenizer);

  /// The lost_characters of a line with the text that these pieces of it give. Decodes them only if they do not spell
  /// the line as it is, which they mostly do.
  std::u32string lost_characters(std::string_view line, const std::vector<TokenId>& pieces) const;

 private:
  /// Whether the pieces, one after the other, are certainly the line: false also where only decoding tells, as with
  /// bytes.
  bool spell(const std::vector<TokenId>& pieces, std::string_view line) const;

  const Tokenizer& tokenizer_;
  std::vector<std::string> texts_;  // with a space for each mark of one
};

/// Counts the characters of a target text that a model can never write, because the normalization of its vocabulary
/// changes them or because no piece has them.
class UnwritableCharacters {
 public:
  /// Adds the lost_characters of a line, which is at `place` ("FILE:LINE").
  void add(const std::u32string& lost, const std::string& place);
  /// The most frequent ones, what becomes of each, and what to do; empty if there are none. `text` is the name of the
  /// text in messages.
  std::string warning(const std::string& text, const Tokenizer& tokenizer) const;

 private:
  struct Found {
    int64_t count = 0;
    std::string first_place;
  };

  std::map<char32_t, Found> found_;
};

}  // namespace transformer

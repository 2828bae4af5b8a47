#pragma once

#include <string>
#include <string_view>

namespace transformer {

/// What stands for a word, whatever its part-of-speech tag.
inline constexpr std::string_view kWordToken = "XX";

/// A token of the sequences that a parser writes: "(NP" opens a bracket, ")NP" closes it, and every other token, which
/// should be "XX", stands for the sentence's next word.
struct BracketToken {
  enum class Kind { open, close, word };
  Kind kind = Kind::word;
  std::string label;  // of a bracket

  bool operator==(const BracketToken&) const = default;
};

BracketToken read_bracket_token(std::string_view token);
std::string to_string(const BracketToken& token);

}  // namespace transformer

#pragma once

#include <string>
#include <string_view>

namespace transformer {

/// The token for a word with any part-of-speech tag.
inline constexpr std::string_view kWordToken = "XX";

/// A token of a linearized tree: "(NP" opens a bracket, ")NP" closes it, and any other token, which should be "XX",
/// stands for the next word of the sentence.
struct BracketToken {
  enum class Kind { open, close, word };
  Kind kind = Kind::word;
  std::string label;  // empty for a word

  bool operator==(const BracketToken&) const = default;
};

BracketToken read_bracket_token(std::string_view token);
std::string to_string(const BracketToken& token);

}  // namespace transformer

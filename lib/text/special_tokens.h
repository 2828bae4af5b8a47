#pragma once

#include <cstdint>
#include <vector>

namespace transformer {

/// The id of a token: a piece of a vocabulary, or a special symbol. Index tensors are int64, because LibTorch's are;
/// everywhere else ids have this type.
using TokenId = int32_t;

/// The special symbols of a vocabulary. The initial values are those of every model that this program trains, because
/// Tokenizer puts these symbols first.
struct SpecialTokens {
  TokenId pad = 0, unknown = 1, begin = 2, end = 3;
  TokenId decoder_start = 2;                         // what the decoder's input begins with
  bool source_has_end = true;                        // whether a source ends with the end symbol, as a target does
  std::vector<TokenId> never_generated = {0, 1, 2};  // what an output never contains

  /// Whether the id is that of a control symbol, which stands for no text.
  bool is_control(TokenId id) const { return id == pad || id == begin || id == end; }

  bool operator==(const SpecialTokens&) const = default;
};

}  // namespace transformer

#pragma once

#include <vector>

#include "decoding/decoding_config.h"
#include "text/tokenizer.h"

namespace transformer {

/// The tokens of `decoding.forbidden_pieces`, or if it is null those that the tokenizer names. Throws Error if one is
/// no piece of the vocabulary, or is the end symbol.
std::vector<TokenId> forbidden_tokens(const DecodingConfig& config, const Tokenizer& target);

}  // namespace transformer

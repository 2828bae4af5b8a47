#pragma once

#include "model/model_config.h"
#include "text/tokenizers.h"

namespace transformer {

/// The symbols, with what the decoder of a model starts with (Deviation D6). A model that starts from zeros ignores the
/// token, so any will do.
inline SpecialTokens with_decoder_start(SpecialTokens symbols, DecoderStart start) {
  const bool is_begin = start == DecoderStart::begin, is_pad = start == DecoderStart::pad;
  symbols.decoder_start = is_begin ? symbols.begin : is_pad ? symbols.pad : symbols.end;
  return symbols;
}

/// The special symbols of the vocabularies, with what the decoder of this model starts with.
inline SourceAndTarget<SpecialTokens> special_tokens_of(const ModelConfig& config, const Tokenizers& tokenizers) {
  return tokenizers.special_tokens().map(
      [&](const SpecialTokens& symbols) { return with_decoder_start(symbols, config.decoder_start); });
}

}  // namespace transformer

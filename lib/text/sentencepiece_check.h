#pragma once

#include <string_view>

namespace transformer {

/// Whether a file is probably a SentencePiece model, judged by its first three bytes or more.
bool looks_like_sentencepiece_model(std::string_view beginning);

/// Whether SentencePiece can load these bytes of a model without reading outside of them: the library follows the
/// positions in a model's normalization tables without checking them. Other damage the library reports itself.
bool is_safe_sentencepiece_model(std::string_view bytes);

}  // namespace transformer

#pragma once

#include <string>
#include <string_view>

namespace transformer {

/// Whether a file is probably a SentencePiece model, judged by its first three bytes or more.
bool looks_like_sentencepiece_model(std::string_view beginning);

/// Whether SentencePiece can load these bytes of a model without reading outside of them: the library follows the
/// positions in a model's normalization tables without checking them. Other damage the library reports itself.
bool is_safe_sentencepiece_model(std::string_view bytes);

/// The bytes of a model without the path of the file of normalization rules that it was learned with. The rules
/// themselves are a table in the model, so that the same rules at any path give the same bytes.
std::string without_normalization_path(std::string_view bytes);

}  // namespace transformer

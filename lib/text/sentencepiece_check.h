#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transformer {

/// Whether a file is probably a SentencePiece model, judged by its first three bytes or more.
bool looks_like_sentencepiece_model(std::string_view beginning);

/// Whether SentencePiece can load these bytes of a model without reading outside of them: the library follows the
/// positions in a model's normalization tables without checking them. Other damage the library reports itself.
bool is_safe_sentencepiece_model(std::string_view bytes);

/// Whether this model divides each word of a line, between blanks, as it would divide the word alone, so that the
/// pieces of a line are those of its words one after the other; only adjacent unknown pieces become one. False also for
/// some models that do so: unigram models, for example, add the logarithms of probabilities from the beginning of the
/// line, and their rounding may decide between two segmentations of a word. A line that itself has the character
/// U+2581, which stands for a blank, is divided otherwise. The bytes are those of a safe model
/// (is_safe_sentencepiece_model).
bool divides_words_alone(std::string_view bytes);

/// The bytes of a model that was learned from words and their counts, with the trainer's settings as if it had been
/// learned from sentences, of which it takes `max_sentences`.
std::string as_learned_from_sentences(std::string_view bytes, uint64_t max_sentences);

/// A model with the special symbols and settings of another one, but with these pieces behind the symbols.
std::string with_pieces(std::string_view bytes, const std::vector<std::string>& pieces);

/// The special symbols of a model: its control symbols, the unknown symbol and the user-defined symbols.
std::vector<std::string> special_symbols_of(std::string_view bytes);

/// The bytes of a model without the path of the file of normalization rules that it was learned with. The rules
/// themselves are a table in the model, so that the same rules at any path give the same bytes.
std::string without_normalization_path(std::string_view bytes);

}  // namespace transformer

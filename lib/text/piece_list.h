#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/special_tokens.h"

namespace transformer {

/// The id of a symbol that a vocabulary lacks.
inline constexpr TokenId kNoToken = -1;

/// The pieces of a vocabulary in the order of their ids, for a model of another program whose ids are not those of its
/// SentencePiece model: source and target may have a SentencePiece model each and share one list.
struct PieceList {
  std::vector<std::string> pieces;  // "" for an id without a piece
  TokenId unknown = kNoToken, end = kNoToken;
  TokenId pad = kNoToken, begin = kNoToken;  // which a vocabulary may lack
  bool source_has_end = true;                // whether the end symbol ends sources, too
  bool are_divided_texts = false;            // texts are already divided into the pieces, with spaces between them; in
                                             // the list, each piece of a text has a space mark before it

  bool operator==(const PieceList&) const = default;
};

/// The id of a piece, or kNoToken.
TokenId find_piece(const PieceList& list, std::string_view piece);

/// The bytes of a SentencePiece model with the list in an extension field, which SentencePiece ignores.
std::string with_piece_list(std::string model_bytes, const PieceList& list);

/// The bytes of the SentencePiece model without its list and other extension fields.
std::string plain_sentencepiece(std::string_view model_bytes);

/// The pieces of a SentencePiece model with its own ids. It may lack any of the symbols.
PieceList own_pieces(std::string_view model_bytes);

/// The list in the bytes of a SentencePiece model, if they have one. Throws Error, whose message is the reason, if the
/// list has no unknown or end symbol or if the id of a symbol is beyond the list.
std::optional<PieceList> piece_list_of(std::string_view model_bytes);

}  // namespace transformer

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/package.h"
#include "text/piece_list.h"
#include "text/source_and_target.h"

namespace transformer {

/// The tokenizer of one side of another program's model.
struct ForeignVocabulary {
  PieceList list;
  std::string sentencepiece;  // the bytes of its SentencePiece model
};

/// The vocabularies with their lists, as one if both sides have the same.
VocabularyModels join_vocabularies(const ForeignVocabulary& source, const ForeignVocabulary& target);

/// The id of a piece. Throws Error if the list lacks it; `path` is the file in the message.
TokenId id_of_piece(const PieceList& list, std::string_view piece, const std::string& path);

/// The pieces of a text with one in each line.
std::vector<std::string> lines_of(std::string_view text);

/// The bytes of a SentencePiece model of the package, without extension fields. Throws DamagedFile if they are none, or
/// cut.
std::string read_sentencepiece(Package& package, const std::string& name);

/// The pieces of a SentencePiece model with its own ids, for a model that uses these. Throws Error if the bytes are no
/// SentencePiece model, or if it lacks the unknown or the end symbol.
PieceList pieces_of_sentencepiece(std::string_view sentencepiece, const std::string& path);

/// For a model whose text is already divided into pieces, which spaces separate: the list with a space mark before each
/// piece, and a SentencePiece model that divides text at its spaces only. Warns that the text must be so; `path` is the
/// file in the message.
ForeignVocabulary divide_at_spaces(PieceList list, const std::string& path);
/// The SentencePiece model of the package that has a usual name, such as `sentencepiece.model` or, for the side
/// "source", `source.spm`.
std::optional<std::string> find_sentencepiece(const Package& package, const std::string& side);
/// For a model that does not name a SentencePiece model: with the one that find_sentencepiece finds, or else as
/// divide_at_spaces.
ForeignVocabulary divide_beside(PieceList list, Package& package, const std::string& side, const std::string& path);
/// For a model whose text is divided by the BPE codes of subword-nmt in the package's file `name`. Warns that
/// the text must be tokenized as for training. Throws Error if the file is none of codes.
ForeignVocabulary divide_by_codes(PieceList list, Package& package, const std::string& name);

}  // namespace transformer

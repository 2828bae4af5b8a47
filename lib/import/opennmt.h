#pragma once

#include "import/foreign_model.h"
#include "import/package.h"

namespace transformer {

/// Whether the package has a checkpoint of OpenNMT-py: the file that was given, or the only one of PyTorch in it.
bool is_opennmt(Package& package);

/// Reads a checkpoint of OpenNMT-py's Transformer, which contains its vocabularies, with a SentencePiece model if there
/// is one; without it, text must be divided into pieces already. Throws Error if a file is damaged, or if an option
/// describes a model that this program has no network for; the message names it.
ForeignModel import_opennmt(Package& package);

/// What `onmt_translate` and `eole predict` do unless they are told otherwise.
DecodingConfig opennmt_decoding(LengthPenaltyForm length_penalty);

}  // namespace transformer

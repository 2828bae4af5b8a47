#pragma once

#include "import/foreign_model.h"
#include "import/package.h"

namespace transformer {

/// Whether the package has a model of Marian, which is an `.npz` file.
bool is_marian(Package& package);

/// Reads a model of Marian's type `transformer`: the `.npz` file that was given, or the one that `decoder.yml` names,
/// or the only one, and the vocabularies (`.spm`, or `.yml` with SentencePiece models or none beside them). The
/// settings of `decoder.yml` become those of the search. Throws Error if a file is missing or damaged or if an option
/// describes a model that this program has no network for; the message names the option.
ForeignModel import_marian(Package& package);

}  // namespace transformer

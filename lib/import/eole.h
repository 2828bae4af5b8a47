#pragma once

#include "import/foreign_model.h"
#include "import/package.h"

namespace transformer {

/// Whether the package has the `config.json` and `vocab.json` of a model of eole, of whatever kind.
bool is_eole(Package& package);

/// Reads a Transformer of eole: `config.json`, `vocab.json`, `model.00.safetensors` with those that follow it, and the
/// SentencePiece model or BPE codes beside them. Throws Error if a file is missing or damaged, or if this program has
/// no network that computes the model.
ForeignModel import_eole(Package& package);

}  // namespace transformer

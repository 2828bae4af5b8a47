#pragma once

#include "import/foreign_model.h"
#include "import/package.h"

namespace transformer {

/// Whether the package has a `config.json` of Hugging Face's transformers, of whatever kind of model.
bool is_hugging_face(Package& package);

/// Reads a MarianMT model: `config.json`, `generation_config.json` if there is one, `model.safetensors` or
/// `pytorch_model.bin`, `source.spm`, `target.spm`, `vocab.json` and, if the target has a vocabulary of its own,
/// `target_vocab.json`. Throws Error if it is another kind of model, if a file is missing or damaged, or if this
/// program has no network that computes it.
ForeignModel import_hugging_face(Package& package);

}  // namespace transformer

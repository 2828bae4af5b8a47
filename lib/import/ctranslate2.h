#pragma once

#include "import/foreign_model.h"
#include "import/package.h"

namespace transformer {

/// Whether the package has a `model.bin` of CTranslate2.
bool is_ctranslate2(Package& package);

/// Reads a model of CTranslate2: `model.bin` with `config.json` if there is one, `shared_vocabulary` or
/// `source_vocabulary` and `target_vocabulary` (.json or .txt), and SentencePiece models, as packages of
/// argos-translate have them, or the BPE codes `source.bpe` and `target.bpe`. Weights in 8 or 16 bits become fp32.
/// Throws Error if a file is missing or damaged, or if this program has no network that computes the model.
ForeignModel import_ctranslate2(Package& package);

}  // namespace transformer

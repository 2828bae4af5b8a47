#pragma once

#include "import/foreign_model.h"
#include "import/package.h"

namespace transformer {

/// Whether the package has a checkpoint of fairseq: the file that was given, or the only one of PyTorch in it.
bool is_fairseq(Package& package);

/// Reads a checkpoint of fairseq's `transformer` architectures with `dict.SOURCE.txt` and `dict.TARGET.txt`, and with a
/// SentencePiece model if there is one; without it, text must be divided into pieces already. Throws Error if a file is
/// missing or damaged, or if an option describes a model that this program has no network for; the message names it.
ForeignModel import_fairseq(Package& package);

}  // namespace transformer

#pragma once

#include <string>
#include <vector>

#include "export/exported_model.h"

namespace transformer {

/// Writes a model as Marian's: `model.npz` with the options of the network in it, `decoder.yml` with those of the
/// search, and the vocabularies, into a directory that is empty or does not exist. A vocabulary is the SentencePiece
/// model itself where the ids are its own, and otherwise a list in YAML with the SentencePiece models (source.spm) or
/// the BPE codes (source.bpe) beside it. Returns the paths of the files. Throws Error, which names the key, if Marian
/// has no network for the model; a setting of the search that it lacks is a warning.
std::vector<std::string> export_marian(const ExportedModel& exported, const std::string& directory);

}  // namespace transformer

#pragma once

#include <string>
#include <vector>

#include "model/model_file.h"

namespace transformer {

/// The files of a model that is exported for other programs: `model.safetensors` contains the parameters under the
/// names of docs/commands.md, the shared matrix once, and in its metadata the config as text; `vocabulary.model` is the
/// SentencePiece model, and `source_vocabulary.model` that of the source, if it has its own.
struct ExportedFiles {
  explicit ExportedFiles(const std::string& directory);

  std::string parameters, vocabulary, source_vocabulary;
};

/// Writes the files into the directory. Returns their paths. Throws Error.
std::vector<std::string> export_safetensors(const ModelFile& model, const std::string& directory);
/// Reads the files back. Throws Error if a file is missing or damaged, or if the metadata have no config.
ModelFile import_safetensors(const std::string& directory);

}  // namespace transformer

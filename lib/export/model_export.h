#pragma once

#include <string>

#include "model/model_file.h"

namespace transformer {

/// A model for other programs, as a directory: `model.safetensors` holds the parameters by the names of
/// docs/commands.md, the shared matrix once, and the config as text in its metadata; `vocabulary.model` is
/// SentencePiece's.
struct ExportedFiles {
  explicit ExportedFiles(const std::string& directory);

  std::string parameters, vocabulary;
};

/// Throws Error.
void export_safetensors(const ModelFile& model, const std::string& directory);
/// The way back. Throws Error where a file is missing or damaged, or the config is not there.
ModelFile import_safetensors(const std::string& directory);

}  // namespace transformer

#pragma once

#include <string>
#include <vector>

#include "model/model_file.h"
#include "text/vocabulary_model_files.h"

namespace transformer {

/// The files of a model that is exported as safetensors: `model.safetensors` contains the parameters under the
/// names of docs/files.md, a shared matrix once, and in its metadata the config as text.
struct SafetensorsFiles {
  explicit SafetensorsFiles(const std::string& directory);

  std::string parameters;
  VocabularyModelFiles vocabulary_models;
};

/// Whether the file with the parameters, which must exist, was written by export_safetensors; false if it is damaged or
/// a file of another kind. Throws Error if it cannot be read.
bool is_export(const SafetensorsFiles& files);

/// Writes the files into the directory, which it creates if there is none; after a failure there is no
/// `model.safetensors`. Returns their paths. Throws Error if a file cannot be written.
std::vector<std::string> export_safetensors(const ModelFile& model, const std::string& directory);
/// Reads the files back. Throws Error if a file is missing or damaged, or if the metadata have no config.
ModelFile import_safetensors(const std::string& directory);

}  // namespace transformer

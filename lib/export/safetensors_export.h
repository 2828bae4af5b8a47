#pragma once

#include <string>
#include <vector>

#include "model/model_file.h"
#include "text/vocabulary_model_files.h"

namespace transformer {

/// The files of a model that is exported as safetensors: `model.safetensors` is a model file (docs/files.md). The
/// vocabularies, which it contains, are there a second time for other programs.
struct SafetensorsFiles {
  explicit SafetensorsFiles(const std::string& directory);

  std::string parameters;
  VocabularyModelFiles vocabulary_models;
};

/// Whether the file with the parameters, which must exist, was written by export_safetensors; false if it is damaged or
/// a file of another kind. Throws Error if it cannot be read.
bool is_export(const SafetensorsFiles& files);

/// Writes the files into the directory, which it creates if there is none; after a failure there is no
/// `model.safetensors`. The parameters may be those of to_stored_type. Returns the paths of the files. Throws Error if
/// a file cannot be written.
std::vector<std::string> export_safetensors(const ModelFile& model, const std::string& directory);
/// Reads the files back, also those of older versions and those whose parameters another program has changed, which
/// have no checksums. Throws Error if a file is missing or damaged, or if the metadata have no config.
ModelFile import_safetensors(const std::string& directory);

}  // namespace transformer

#include "export/safetensors_export.h"

#include <filesystem>

#include "base/error.h"
#include "base/make_directory.h"
#include "export/ctranslate2.h"
#include "export/export_directory.h"
#include "model/model_config.h"
#include "model/stored_type.h"
#include "serialization/safetensors.h"
#include "settings/fields.h"
#include "settings/yaml.h"

namespace transformer {
namespace {

constexpr const char* kConfig = "config";
constexpr const char* kProvenance = "provenance";

/// Whether the config itself says which embeddings are one matrix, so that it does not follow from the vocabularies.
bool gives_tied_embeddings(const std::string& config, const std::string& name) {
  ModelConfig model;
  const Settings settings = read_yaml(config, name, Schema(fields_of("model", model)));
  const auto ties = settings.values.find("model.tied_embeddings");
  return ties != settings.values.end() && ties->second.value.kind != Value::Kind::null;
}

}  // namespace

SafetensorsFiles::SafetensorsFiles(const std::string& directory)
    : parameters(directory + "/model.safetensors"), vocabulary_models(directory) {}

bool is_export(const SafetensorsFiles& files) {
  try {
    return load_safetensors_metadata(files.parameters).contains(kConfig);
  } catch (const DamagedFile&) {
    return false;
  }
}

std::vector<std::string> export_safetensors(const ModelFile& model, const std::string& directory) {
  check_export_directory(directory, model.vocabularies);
  make_directory(directory);
  const SafetensorsFiles files(directory);
  // So that the parameters of an older export are never beside another vocabulary, if a file cannot be written.
  std::filesystem::remove(files.parameters);
  auto written = replace_vocabulary(directory, model.vocabularies);
  save_model(files.parameters, model);
  written.insert(written.begin(), files.parameters);
  return written;
}

ModelFile import_safetensors(const std::string& directory) {
  const SafetensorsFiles files(directory);
  const SafeTensors content = load_safetensors(files.parameters);
  const auto config = content.metadata.find(kConfig);
  if (config == content.metadata.end()) {
    throw Error(
        "{}: has no config in its metadata; give a directory that `transformer export` wrote, or a copy with the same "
        "metadata",
        files.parameters);
  }
  ModelFile model{.config = config->second,
                  .vocabularies = read_vocabulary_models(files.vocabulary_models),
                  .parameters = restore_parameters(content.tensors, files.parameters)};
  const auto provenance = content.metadata.find(kProvenance);
  if (provenance != content.metadata.end()) model.provenance = provenance->second;
  // Without this key, a model has a source embedding of its own only with a tokenizer of its own (D22).
  if (model.parameters.contains("source_embedding.weight") && model.vocabularies.are_shared() &&
      !gives_tied_embeddings(model.config, files.parameters)) {
    throw Error("{}: there is no such file, but the source has a vocabulary of its own; copy the whole directory",
                files.vocabulary_models.source);
  }
  return model;
}

}  // namespace transformer

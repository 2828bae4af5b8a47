#include "export/export_directory.h"

#include <filesystem>

#include "base/error.h"
#include "export/ctranslate2.h"
#include "export/safetensors_export.h"
#include "text/vocabulary_model_files.h"

namespace transformer {
namespace {

/// Whether the directory has other vocabularies than these.
bool has_other_vocabulary(const VocabularyModelFiles& files, const VocabularyModels& models) {
  return std::filesystem::is_regular_file(files.target) && read_vocabulary_models(files) != models;
}

}  // namespace

void throw_not_exported(const std::string& path) {
  throw Error(
      "{}: is damaged or was not written by `transformer export`, and an export here would remove or replace it; "
      "choose another directory, or move that file",
      path);
}

void check_export_directory(const std::string& directory, const VocabularyModels& models) {
  const SafetensorsFiles safetensors(directory);
  const bool has_safetensors = std::filesystem::exists(safetensors.parameters);
  if (has_safetensors && !is_export(safetensors)) throw_not_exported(safetensors.parameters);
  const CTranslate2Files ctranslate2(directory);
  const bool has_ctranslate2 = std::filesystem::exists(ctranslate2.parameters);
  if (has_ctranslate2 && !is_export(ctranslate2)) throw_not_exported(ctranslate2.parameters);
  const VocabularyModelFiles files(directory);
  const bool has_export = has_safetensors || has_ctranslate2;
  if (!has_export && has_other_vocabulary(files, models)) {
    throw Error(
        "{}: belongs to no exported model in that directory, and would be replaced; choose another directory, or move "
        "that file",
        files.target);
  }
}

std::vector<std::string> replace_vocabulary(const std::string& directory, const VocabularyModels& models) {
  const VocabularyModelFiles files(directory);
  if (has_other_vocabulary(files, models)) {
    std::filesystem::remove(SafetensorsFiles(directory).parameters);
    std::filesystem::remove(CTranslate2Files(directory).parameters);
  }
  return write_vocabulary_models(files, models);
}

}  // namespace transformer

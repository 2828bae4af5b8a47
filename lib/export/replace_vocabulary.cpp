#include "export/replace_vocabulary.h"

#include <filesystem>

#include "data/vocabulary_model_files.h"
#include "export/ctranslate2.h"
#include "export/safetensors_export.h"

namespace transformer {

std::vector<std::string> replace_vocabulary(const std::string& directory, const VocabularyModels& models) {
  const VocabularyModelFiles files(directory);
  if (std::filesystem::is_regular_file(files.target) && read_vocabulary_models(files) != models) {
    std::filesystem::remove(SafetensorsFiles(directory).parameters);
    std::filesystem::remove(CTranslate2Files(directory).parameters);
  }
  return write_vocabulary_models(files, models);
}

}  // namespace transformer

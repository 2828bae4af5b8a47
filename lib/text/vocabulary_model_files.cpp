#include "text/vocabulary_model_files.h"

#include <filesystem>

#include "base/atomic_file.h"
#include "base/read_file.h"

namespace transformer {

VocabularyModelFiles::VocabularyModelFiles(const std::string& directory)
    : target(directory + "/vocabulary.model"), source(directory + "/source_vocabulary.model") {}

SourceAndTarget<std::string> VocabularyModelFiles::found() const {
  if (!std::filesystem::exists(source)) return target;
  return SourceAndTarget<std::string>::separate(source, target);
}

std::vector<std::string> write_vocabulary_models(const VocabularyModelFiles& files, const VocabularyModels& models) {
  write_file_atomically(files.target, models.target());
  if (models.are_shared()) {
    std::filesystem::remove(files.source);
    return {files.target};
  }
  write_file_atomically(files.source, models.source());
  return {files.target, files.source};
}

VocabularyModels read_vocabulary_models(const VocabularyModelFiles& files) { return files.found().map(read_file); }

}  // namespace transformer

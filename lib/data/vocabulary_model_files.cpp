#include "data/vocabulary_model_files.h"

#include <filesystem>

#include "base/atomic_file.h"
#include "base/read_file.h"

namespace transformer {

VocabularyModelFiles::VocabularyModelFiles(const std::string& directory)
    : target(directory + "/vocabulary.model"), source(directory + "/source_vocabulary.model") {}

std::vector<std::string> write_vocabulary_models(const VocabularyModelFiles& files, const std::string& target,
                                                 const std::string& source) {
  write_file_atomically(files.target, target);
  if (source.empty()) {
    std::filesystem::remove(files.source);
    return {files.target};
  }
  write_file_atomically(files.source, source);
  return {files.target, files.source};
}

bool hold_other_models(const VocabularyModelFiles& files, const std::string& target, const std::string& source) {
  if (!std::filesystem::is_regular_file(files.target)) return false;
  const std::string source_there = std::filesystem::is_regular_file(files.source) ? read_file(files.source) : "";
  return read_file(files.target) != target || source_there != source;
}

}  // namespace transformer

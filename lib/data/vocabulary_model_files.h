#pragma once

#include <string>
#include <vector>

namespace transformer {

/// The SentencePiece models in a directory of prepared data or of an exported model.
struct VocabularyModelFiles {
  explicit VocabularyModelFiles(const std::string& directory);

  std::string target;  // of both sides, or of the target
  std::string source;  // exists only if the source has a vocabulary of its own
};

/// Writes the bytes of the models, each file atomically. If `source` is empty, because both sides share a vocabulary,
/// removes the source's file. Returns the paths of the files that it wrote. Throws Error if a file cannot be written.
std::vector<std::string> write_vocabulary_models(const VocabularyModelFiles& files, const std::string& target,
                                                 const std::string& source);

/// Whether the files exist and hold other models than these. Throws Error if a file cannot be read.
bool hold_other_models(const VocabularyModelFiles& files, const std::string& target, const std::string& source);

}  // namespace transformer

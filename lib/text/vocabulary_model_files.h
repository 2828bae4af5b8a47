#pragma once

#include <string>
#include <vector>

#include "text/source_and_target.h"

namespace transformer {

/// The SentencePiece models in a directory of prepared data or of an exported model.
struct VocabularyModelFiles {
  explicit VocabularyModelFiles(const std::string& directory);

  std::string target;  // of both sides, or of the target
  std::string source;  // exists only if the source has a tokenizer of its own

  /// The files of each side: `target` for both if `source` does not exist.
  SourceAndTarget<std::string> found() const;
};

/// Writes the models, each file atomically; removes the source's file if both sides share a tokenizer. Returns the
/// paths of the files that it wrote. Throws Error if a file cannot be written.
std::vector<std::string> write_vocabulary_models(const VocabularyModelFiles& files, const VocabularyModels& models);

/// Reads them back. Throws Error if a file cannot be read.
VocabularyModels read_vocabulary_models(const VocabularyModelFiles& files);

}  // namespace transformer

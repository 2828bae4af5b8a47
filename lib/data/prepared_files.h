#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/corpus.h"
#include "data/data_config.h"
#include "data/tokenizers.h"
#include "data/vocabulary_model_files.h"

namespace transformer {

/// The name of a validation set, counted from 0, in the prepared directory and its manifest: "valid", "valid-2".
std::string validation_set_id(size_t set);

/// The files of a prepared directory.
struct PreparedFiles {
  explicit PreparedFiles(const std::string& prepared);
  /// The corpus of a validation set, counted from 0.
  std::string valid(size_t set) const;

  std::string directory;
  VocabularyModelFiles vocabulary_models;
  std::string vocabulary_list, source_vocabulary_list;  // the pieces of each model, one a line
  std::string train, manifest;
};

/// The tokenizers of the prepared vocabularies. Throws Error if a file is missing or damaged.
Tokenizers load_tokenizers(const PreparedFiles& files);

/// The parts of the prepared training corpus: one for each pair of files with its weight, or none without weights.
/// Throws Error if the manifest is missing, damaged or of other files, and UsageError if the weights leave no pairs.
std::vector<CorpusPart> training_parts(const DataConfig& config);

}  // namespace transformer

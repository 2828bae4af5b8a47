#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "text/vocabulary_model_files.h"

namespace transformer {

/// The name of a validation set, counted from 0, in the prepared directory and its manifest: "valid", "valid-2".
std::string validation_set_id(size_t set);

/// The files of a prepared directory.
struct PreparedFiles {
  explicit PreparedFiles(const std::string& prepared);
  /// The corpus of a validation set, counted from 0.
  std::string valid(size_t set) const;
  /// The file of shard `number` of `count`, counted from 1, of the training corpus.
  std::string shard(int64_t number, int64_t count) const;
  /// The file of part `number`, counted from 1, of a training corpus that is being encoded.
  std::string part(int64_t number) const;
  /// All files of data with so many validation sets.
  std::vector<std::string> all(size_t num_validation_sets) const;

  std::string directory;
  VocabularyModelFiles vocabulary_models;
  std::string vocabulary_list, source_vocabulary_list;  // the pieces of each model, one a line
  std::string train, manifest;
};

}  // namespace transformer

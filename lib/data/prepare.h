#pragma once

#include <string>

#include "data/data_config.h"

namespace transformer {

/// The files of a prepared directory.
struct PreparedFiles {
  explicit PreparedFiles(const std::string& directory);
  std::string vocabulary_model, vocabulary_list, train, valid, manifest;
};

/// Text -> shared vocabulary -> binary corpus (§5.1), into `config.prepared`. Where the manifest there tells of the
/// same inputs and settings, nothing is done. Throws Error for missing or empty files, sides of different length, and
/// a vocabulary that the text cannot give.
void prepare(const DataConfig& config, int num_threads);

}  // namespace transformer

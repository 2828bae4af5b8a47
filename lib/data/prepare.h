#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/directory_lock.h"
#include "data/corpus.h"
#include "data/data_config.h"
#include "data/tokenizers.h"

namespace transformer {

/// The files of a prepared directory.
struct PreparedFiles {
  explicit PreparedFiles(const std::string& prepared);
  /// The corpus of a validation set, counted from 0.
  std::string valid(size_t set) const;

  std::string directory;
  std::string vocabulary_model, vocabulary_list;                // of both sides, or of the target
  std::string source_vocabulary_model, source_vocabulary_list;  // only if the source has a vocabulary of its own
  std::string train, manifest;
};

/// A vocabulary to use instead of learning one.
struct GivenVocabulary {
  std::string model_bytes;  // of a SentencePiece model
  std::string path;         // the file they are from
};

/// The vocabularies of both sides; if their models are the same, both sides share one.
struct GivenVocabularies {
  GivenVocabulary source, target;
  bool are_shared() const { return source.model_bytes == target.model_bytes; }
};

/// Learns a shared vocabulary from the text, unless vocabularies are given, and encodes the text into a binary corpus
/// (§5.1) in `config.prepared`. Does nothing if the manifest there shows that the files were made from the same inputs
/// with the same settings. Throws Error if a text is missing or empty, its sides differ in length, or it is too short
/// for the vocabulary, and if the files must be made again while another process uses them. A process uses them while
/// it holds the shared lock on the directory that the function returns. If a text is missing, the error says whether it
/// exists relative to the directory of `config_file` or to one above it, where the program was perhaps meant to run.
DirectoryLock prepare(const DataConfig& config, int num_threads,
                      const std::optional<GivenVocabularies>& vocabularies = std::nullopt,
                      const std::string& config_file = "");

/// The tokenizers of the prepared vocabularies.
Tokenizers load_tokenizers(const PreparedFiles& files);

/// The parts of the prepared training corpus: one for each pair of files with its weight, or none without weights.
/// Throws UsageError if the weights leave no pairs.
std::vector<CorpusPart> training_parts(const DataConfig& config);

}  // namespace transformer

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/data_config.h"
#include "data/pair_account.h"
#include "data/vocabulary.h"

namespace transformer {

/// What preparing a text would give, judged by its first pairs.
struct CorpusPreview {
  static constexpr int64_t kPairs = 100000;  // that are read, the same number of each pair of files

  struct Example {
    std::vector<std::string> source, target;  // pieces
  };
  /// How many sides have at most `longest` pieces and more than those of the range before.
  struct Lengths {
    int64_t longest, sources = 0, targets = 0;
  };

  bool is_learned = true;  // whether the vocabulary is
  int64_t source_vocabulary_size = 0, target_vocabulary_size = 0;
  std::vector<std::string> first_pieces, last_pieces;  // of the target's vocabulary
  std::vector<Example> examples;                       // the first pairs that are kept
  int64_t pairs_read = 0, pairs_kept = 0;
  std::string dropped;  // PairFilter::summary
  PairAccount account;  // of the pairs that were read
  std::vector<Lengths> lengths;
  double estimated_lines = 0;    // of all text
  double estimated_pairs = 0;    // that an epoch has, each counted as often as data.train.weight says
  double tokens_per_pair = 0;    // of the side that has more, end symbols included
  double estimated_bytes = 0;    // of the training corpus
  double estimated_seconds = 0;  // to prepare all text on this machine, with as many threads
  bool is_whole = true;          // whether all text was read

  /// The steps that an epoch takes.
  double steps_per_epoch(int64_t batch_tokens) const;
};

/// Reads the beginning of the training text, learns a vocabulary from it, unless vocabularies are given, and encodes
/// it. Logs the warnings that `prepare` would give for what is read. Writes nothing. Throws Error as `prepare` does.
CorpusPreview preview_corpus(const DataConfig& config, int num_threads,
                             const std::optional<GivenVocabularies>& vocabularies, const std::string& config_file);

/// A few lines for people; steps have `batch_tokens`, and training `train_steps` of them.
std::string format_text(const CorpusPreview& preview, int64_t batch_tokens, int64_t train_steps);
/// A JSON object.
std::string format_json(const CorpusPreview& preview, int64_t batch_tokens);

}  // namespace transformer

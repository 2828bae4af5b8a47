#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status_line.h"
#include "data/data_config.h"
#include "data/manifest.h"
#include "data/tokenizers.h"

namespace transformer {

/// A text, and the corpus to make of it.
struct CorpusTask {
  std::string path;       // of the corpus file
  std::string name;       // in messages, such as "training corpus"
  int64_t num_lines = 0;  // of the text on each side
  ParallelFiles text;
  std::vector<std::vector<int32_t>> tags = {};  // pieces to put before each source line, by pair of files; or no items
};

/// The pieces of the tags of `data.train.tag`, for each pair of files. Throws UsageError if the vocabulary lacks a
/// character of a tag.
std::vector<std::vector<int32_t>> encode_tags(const TrainingText& text, const Tokenizer& tokenizer);

/// Encodes the text on `num_threads` threads and writes the pairs that PairFilter keeps into the corpus file. Throws
/// Error if the text cannot be read or encoded, if too many pairs are dropped (check_dropped_pairs), and if the file
/// cannot be written; an older file then stays as it is.
CorpusRecord write_corpus(const CorpusTask& task, const Tokenizers& tokenizers, const DataConfig& config,
                          int num_threads, StatusLine& status);

}  // namespace transformer

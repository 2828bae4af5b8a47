#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status_line.h"
#include "data/corpus.h"
#include "data/data_config.h"
#include "data/manifest.h"
#include "data/pair_pieces.h"
#include "text/tokenizers.h"

namespace transformer {

/// A text to make a corpus of.
struct CorpusTask {
  std::string name;       // in messages, such as "training corpus"
  int64_t num_lines = 0;  // of the text on each side
  std::vector<ParallelFiles> text;
  std::vector<std::vector<TokenId>> tags = {};  // pieces to put before each source line, by pair of files; or no items
};

/// The pieces of each corpus's tag. Throws UsageError if the vocabulary lacks a character of a tag.
std::vector<std::vector<TokenId>> encode_tags(const std::vector<TrainingCorpus>& text, const Tokenizer& tokenizer);

using PiecesCallback = std::function<void(size_t file, const PairPieces& pair)>;

/// Encodes the text on `num_threads` threads and adds the pairs that PairFilter keeps to `writer`, which remains to be
/// finished. Calls `for_each_pair`, if given, with each of these pairs and the index of its files. Throws Error if the
/// text cannot be read or encoded, if too many pairs are dropped (check_dropped_pairs), and if the pairs cannot be
/// written.
CorpusRecord encode_corpus(const CorpusTask& task, const Tokenizers& tokenizers, const DataConfig& config,
                           int num_threads, CorpusWriter& writer, StatusLine& status,
                           const PiecesCallback& for_each_pair = {});

}  // namespace transformer

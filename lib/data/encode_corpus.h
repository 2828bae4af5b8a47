#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status_line.h"
#include "data/corpus.h"
#include "data/data_config.h"
#include "data/encode_text.h"
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

/// Puts the tag of its files, one of encode_tags or none, before the source of a pair, unless that is empty. Returns
/// the number of its pieces.
size_t add_tag(const std::vector<std::vector<TokenId>>& tags, EncodedPair& pair);

/// Is told each pair and the index of its files. Returns whether the validation or the test text has the pair, too.
using PiecesCallback = std::function<bool(size_t file, const PairPieces& pair)>;
/// Passes the blocks of a text to its argument, in order.
using EncodedText = std::function<void(const BlockCallback& add)>;

/// Adds the pairs of an encoded text that PairFilter keeps to `writer`, which remains to be finished. Calls
/// `for_each_pair`, if given, with each of these pairs. Throws Error if too many pairs are dropped
/// (check_dropped_pairs), if the pairs cannot be written, and as `encode` does.
CorpusRecord collect_corpus(const CorpusTask& task, const EncodedText& encode, const Tokenizers& tokenizers,
                            const DataConfig& config, CorpusWriter& writer, StatusLine& status,
                            const PiecesCallback& for_each_pair = {});

/// Likewise for a text that encode_text encodes on `num_threads` threads.
CorpusRecord encode_corpus(const CorpusTask& task, const Tokenizers& tokenizers, const DataConfig& config,
                           int num_threads, CorpusWriter& writer, StatusLine& status);

}  // namespace transformer

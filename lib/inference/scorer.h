#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "inference/encode_line.h"
#include "model/transformer.h"
#include "text/line_pairs.h"
#include "text/tokenizers.h"

namespace transformer {

/// log P(target | source) of a sentence pair, in nats, and the number of tokens that it sums over.
struct PairScore {
  double log_prob = 0;
  int64_t num_tokens = 0;  // target pieces and end symbol

  double perplexity() const { return std::exp(-log_prob / static_cast<double>(num_tokens)); }
};

/// Computes the probabilities of given translations (forced decoding).
class Scorer {
 public:
  /// `batch_tokens`: the source or target tokens of a batch, end symbols included. The file names are for error
  /// messages. The model and the tokenizers must outlive the scorer.
  Scorer(Transformer& model, const Tokenizers& tokenizers, int64_t batch_tokens, std::string source_file,
         std::string target_file);

  /// Returns one score for each pair of lines, in order. An empty target consists of the end symbol alone. Throws Error
  /// with file and line if a line is longer than the model's length_limit.
  std::vector<PairScore> score(const std::vector<LinePair>& lines);

  /// The sums over all pairs scored so far.
  const PairScore& total() const { return total_; }
  int64_t num_pairs() const { return num_pairs_; }
  /// The lines that were not valid UTF-8.
  const FoundLines& invalid_source_lines() const { return source_.invalid_lines(); }
  const FoundLines& invalid_target_lines() const { return target_.invalid_lines(); }

 private:
  Transformer& model_;
  int64_t batch_tokens_;
  WholeLineEncoder source_, target_;
  PairScore total_;
  int64_t num_pairs_ = 0;
};

}  // namespace transformer

#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/transformer.h"
#include "text/line_pairs.h"
#include "text/source_tags.h"
#include "text/tokenizers.h"

namespace transformer {

/// log P(target | source) in nats, of one sentence pair or of several, and the number of tokens that it sums over.
struct LogProb {
  double log_prob = 0;
  int64_t num_tokens = 0;  // target pieces and end symbols

  double perplexity() const { return std::exp(-log_prob / static_cast<double>(num_tokens)); }
  LogProb& operator+=(const LogProb& other) {
    log_prob += other.log_prob;
    num_tokens += other.num_tokens;
    return *this;
  }
};

/// The score of a sentence pair.
struct PairScore : LogProb {
  bool source_was_invalid = false, target_was_invalid = false;  // whether the line was not valid UTF-8
  int64_t unknown_source = 0, unknown_target = 0;  // pieces that stand for characters which the vocabulary lacks
};

/// Computes the probabilities of given translations (forced decoding). Any number of threads may use one scorer.
class Scorer {
 public:
  /// `batch_tokens`: the source or target tokens of a batch, end symbols included. The names of the texts are for error
  /// messages. `tags`, if given, choose a tag for the sources that begin with none. The model must be in evaluation
  /// mode; the tokenizers must outlive the scorer.
  Scorer(Transformer model, const Tokenizers& tokenizers, int64_t batch_tokens, std::string source_name,
         std::string target_name, std::optional<SourceTags> tags = {});

  /// Returns one score for each pair of lines, in order. An empty target consists of the end symbol alone. Throws Error
  /// with the text's name and the line if a line is longer than the model's length_limit.
  std::vector<PairScore> score(const std::vector<LinePair>& lines) const;

 private:
  Transformer model_;
  const Tokenizers& tokenizers_;
  int64_t batch_tokens_;
  std::string source_name_, target_name_;
  std::optional<SourceTags> tags_;
};

}  // namespace transformer

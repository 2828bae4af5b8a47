#pragma once

#include <string>
#include <vector>

#include "data/line_pairs.h"
#include "data/tokenizer.h"
#include "model/transformer.h"

namespace transformer {

/// log P(target | source) of one sentence pair, in nats, and what it is a sum over.
struct PairScore {
  double log_prob = 0;
  int64_t num_tokens = 0;  // the target's pieces and the end symbol
};

/// Gives the target's pieces one after the other and reads off their probabilities: no search.
class Scorer {
 public:
  /// `batch_tokens` source or target tokens, padding included, are scored together. Both references must outlive the
  /// scorer. The files' names are for messages.
  Scorer(Transformer& model, const Tokenizer& tokenizer, int64_t batch_tokens, std::string source_file,
         std::string target_file);

  /// One score for each pair of lines, in order. A blank target is the end symbol alone. Throws Error, with file and
  /// line, where learned positions end before a line does.
  std::vector<PairScore> score(const std::vector<LinePair>& lines);

  /// The sum over all pairs so far.
  const PairScore& total() const { return total_; }
  int64_t num_pairs() const { return num_pairs_; }
  /// Lines, of either side, that held bytes that are not UTF-8.
  int64_t num_invalid_lines() const { return num_invalid_lines_; }

 private:
  std::vector<int32_t> encode(const std::string& text, const std::string& file, int64_t line);

  Transformer& model_;
  const Tokenizer& tokenizer_;
  int64_t batch_tokens_;
  std::string source_file_, target_file_;
  PairScore total_;
  int64_t num_pairs_ = 0, num_invalid_lines_ = 0;
};

}  // namespace transformer

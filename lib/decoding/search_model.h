#pragma once

#include <torch/types.h>

#include <vector>

#include "model/decoder_state.h"

namespace transformer {

/// What the search asks of a model: two methods.
class SearchModel {
 public:
  virtual ~SearchModel() = default;

  /// From the next step on, the search runs over these sentences too: numbers among those that the model was made for.
  virtual void begin(const std::vector<int64_t>& sentences) = 0;

  /// One step of all hypotheses. Returns logits [rows, vocab] in fp32: log P(next token) but for a constant of each
  /// row. A sentence without a row is over.
  virtual torch::Tensor step(const std::vector<StepRow>& rows) = 0;
};

/// A sequence of tokens and what the model thinks of it.
struct Hypothesis {
  std::vector<int64_t> tokens;  // with the end symbol where finished
  double log_prob = 0;
  std::vector<float> token_log_probs = {};  // of which it is the sum
};

}  // namespace transformer

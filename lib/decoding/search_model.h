#pragma once

#include <torch/torch.h>

#include <vector>

namespace transformer {

/// What the search asks of a model. It runs over `rows`: sentence by sentence, the same number of hypotheses for each.
class SearchModel {
 public:
  virtual ~SearchModel() = default;

  /// tokens [rows], the last token of every hypothesis. Returns log P(next token) [rows, vocab], fp32, which the search
  /// may write into.
  virtual torch::Tensor next_log_probs(const torch::Tensor& tokens) = 0;

  /// From now on: the sentences of the given numbers [B'] among the present ones, with the hypotheses of the given
  /// rows [rows'] among the present ones.
  virtual void keep(const torch::Tensor& sentences, const torch::Tensor& rows) = 0;
};

/// A sequence of tokens and what the model thinks of it.
struct Hypothesis {
  std::vector<int64_t> tokens;  // with the end symbol where finished
  double log_prob = 0;
  std::vector<float> token_log_probs = {};  // of which it is the sum
};

}  // namespace transformer

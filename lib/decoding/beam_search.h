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
};

/// What outputs have to look like.
class SearchConstraint {
 public:
  virtual ~SearchConstraint() = default;

  /// The tokens that may follow these ones of sentence number `sentence`; there is always one.
  virtual std::vector<int64_t> allowed(size_t sentence, const std::vector<int64_t>& tokens) const = 0;
};

struct SearchOptions {
  int64_t beam_size;
  double alpha;
  int64_t begin, end;          // ids of the symbols
  std::vector<int64_t> never;  // ids that no output may have
  const SearchConstraint* constraint = nullptr;
};

/// log P(y|x) / length_penalty(|y|): what hypotheses are compared by (§6.1).
double score(const Hypothesis& hypothesis, double alpha);

/// Beam search (§6.1, Deviation D10) for sentences that the model was started with; sentence i gives at most
/// max_lengths[i] tokens, end symbol included. Each sentence is searched as if alone and retired when no live
/// hypothesis can still beat its best finished one. Returns the best hypothesis of each: a finished one where there is
/// any. Beam 1 is greedy search.
std::vector<Hypothesis> beam_search(SearchModel& model, const std::vector<int64_t>& max_lengths,
                                    const SearchOptions& options);

}  // namespace transformer

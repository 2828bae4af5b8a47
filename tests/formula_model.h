#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "decoding/beam_search.h"
#include "text/tokenizer.h"

namespace transformer {

inline constexpr int64_t kVocabulary = 6;  // pad, unknown, begin, end, and two words

/// log P of each token of a language model by formula: it depends on the whole prefix and on the sentence.
inline torch::Tensor formula_log_probs(int64_t sentence, const std::vector<int64_t>& prefix, int64_t vocabulary,
                                       double end_malus) {
  std::vector<double> logits;
  for (int64_t token = 0; token < vocabulary; ++token) {
    double phase = static_cast<double>(sentence) * 1.7 + static_cast<double>(token) * 2.3;
    for (size_t i = 0; i < prefix.size(); ++i) phase += std::sin(static_cast<double>(prefix[i] * (i + 2)) + phase);
    logits.push_back(2.0 * std::sin(phase) - (token == kEnd && prefix.size() < 2 ? end_malus : 0.0));
  }
  return torch::log_softmax(torch::tensor(logits, torch::kFloat), 0);
}

/// The model of most tests.
inline torch::Tensor next_log_probs_of(int64_t sentence, const std::vector<int64_t>& prefix) {
  return formula_log_probs(sentence, prefix, kVocabulary, 1.0);
}

/// A formula as the search sees it; remembers how much work it was asked for.
class FormulaModel : public SearchModel {
 public:
  using Formula = std::function<torch::Tensor(int64_t sentence, const std::vector<int64_t>& prefix)>;

  /// The search's sentence with id i is the formula's sentences[i].
  explicit FormulaModel(std::vector<int64_t> sentences, Formula formula = next_log_probs_of)
      : sentences_(std::move(sentences)), formula_(std::move(formula)) {}

  void begin(const std::vector<int64_t>& sentence_ids) override { begun += std::ssize(sentence_ids); }

  torch::Tensor step(const std::vector<StepRow>& rows) override {
    ++steps;
    std::vector<std::vector<int64_t>> prefixes;
    std::vector<torch::Tensor> logits;
    for (const StepRow& row : rows) {
      prefixes.push_back(row.parent < 0 ? std::vector<int64_t>() : prefixes_.at(static_cast<size_t>(row.parent)));
      if (row.parent >= 0) prefixes.back().push_back(row.token);
      // Any constant may be added to a row.
      logits.push_back(formula_(sentences_.at(static_cast<size_t>(row.sentence_id)), prefixes.back()) + row.token);
    }
    prefixes_ = prefixes;
    return torch::stack(logits);
  }

  int64_t steps = 0, begun = 0;

 private:
  std::vector<int64_t> sentences_;
  Formula formula_;
  std::vector<std::vector<int64_t>> prefixes_;  // of the last step's rows
};

/// Beam search of all sentences, so many at a time.
inline SearchResults search_all(SearchModel& model, const std::vector<int64_t>& max_lengths,
                                const SearchOptions& options, int64_t at_a_time = 64) {
  SentenceQueue queue(max_lengths, {.sentences = at_a_time, .tokens = 100000});
  SearchResults results(max_lengths.size());
  beam_search(model, queue, options, results);
  return results;
}

}  // namespace transformer

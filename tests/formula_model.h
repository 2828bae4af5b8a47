#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "decoding/beam_search.h"
#include "decoding/output_processors.h"

namespace transformer {

/// The special symbols of the models in tests.
inline const SpecialTokens kSymbols;

inline constexpr int64_t kVocabulary = 6;  // pad, unknown, begin, end, and two words

/// log P of each token of a language model by formula: it depends on the whole prefix and on the sentence.
inline torch::Tensor formula_log_probs(int64_t sentence, const std::vector<TokenId>& prefix, int64_t vocabulary,
                                       double end_malus) {
  std::vector<double> logits;
  for (int64_t token = 0; token < vocabulary; ++token) {
    double phase = static_cast<double>(sentence) * 1.7 + static_cast<double>(token) * 2.3;
    for (size_t i = 0; i < prefix.size(); ++i)
      phase += std::sin(static_cast<double>(static_cast<size_t>(prefix[i]) * (i + 2)) + phase);
    logits.push_back(2.0 * std::sin(phase) - (token == kSymbols.end && prefix.size() < 2 ? end_malus : 0.0));
  }
  return torch::log_softmax(torch::tensor(logits, torch::kFloat), 0);
}

/// The model of most tests.
inline torch::Tensor next_log_probs_of(int64_t sentence, const std::vector<TokenId>& prefix) {
  return formula_log_probs(sentence, prefix, kVocabulary, 1.0);
}

/// A formula as the search sees it; remembers how much work it was asked for.
class FormulaModel : public SearchModel {
 public:
  using Formula = std::function<torch::Tensor(int64_t sentence, const std::vector<TokenId>& prefix)>;

  /// The search's sentence with id i is the formula's sentences[i].
  explicit FormulaModel(std::vector<int64_t> sentences, Formula formula = next_log_probs_of)
      : sentences_(std::move(sentences)), formula_(std::move(formula)) {}

  void begin(const std::vector<SearchSource>& joining) override { begun += std::ssize(joining); }

  torch::Tensor step(const std::vector<StepRow>& rows) override {
    ++steps;
    std::vector<std::vector<TokenId>> prefixes;
    std::vector<torch::Tensor> logits;
    for (const StepRow& row : rows) {
      prefixes.push_back(row.parent < 0 ? std::vector<TokenId>() : prefixes_.at(static_cast<size_t>(row.parent)));
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
  std::vector<std::vector<TokenId>> prefixes_;  // of the last step's rows
};

/// Finds the output of at most `max_length` tokens that `rank` gives the highest rank, by trying each. `rank` returns
/// null for hypotheses that must not be continued. `best` begins without tokens.
template <class Rank>
void try_all(const FormulaModel::Formula& formula, int64_t sentence, int64_t vocabulary, int64_t max_length,
             const Rank& rank, Hypothesis& best, const Hypothesis& so_far = {}) {
  if (!rank(so_far)) return;
  if (!so_far.tokens.empty() && so_far.tokens.back() == kSymbols.end) {
    if (best.tokens.empty() || rank(so_far) > rank(best)) best = so_far;
    return;
  }
  if (std::ssize(so_far.tokens) == max_length) return;
  const auto log_probs = formula(sentence, so_far.tokens);
  for (TokenId token = kSymbols.end; token < vocabulary; ++token) {
    Hypothesis next = so_far;
    next.append(token, log_probs[token].item<double>());
    try_all(formula, sentence, vocabulary, max_length, rank, best, next);
  }
}

/// Searches for the outputs of sentences, so many at a time. `search` is beam_search or sample with its options.
/// Returns the hypotheses of each sentence.
template <class Search>
std::vector<std::vector<Hypothesis>> results_of(const std::vector<SearchRequest>& requests, int64_t at_a_time,
                                                const Search& search) {
  SentenceQueue queue({.sentences = at_a_time, .tokens = 100000});
  std::vector<std::vector<Hypothesis>> results(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    SearchRequest request = requests[i];
    request.on_result = [&results, i](SearchResult result) { results[i] = std::move(result.hypotheses); };
    queue.add(std::move(request));
  }
  queue.close();
  search(queue);
  return results;
}

/// Requests with these maximal lengths, each with these processors after those that ban padding and the begin symbol.
inline std::vector<SearchRequest> requests_with(const std::vector<int64_t>& max_lengths,
                                                const LogitsProcessors& processors = {}) {
  std::vector<SearchRequest> requests;
  for (const int64_t max_length : max_lengths) {
    SearchRequest& request = requests.emplace_back(SearchRequest{.max_length = max_length});
    request.processors = {std::make_shared<BannedTokens>(std::vector{kSymbols.pad, kSymbols.begin})};
    request.processors.insert(request.processors.end(), processors.begin(), processors.end());
  }
  return requests;
}

/// Beam search of all sentences, so many at a time.
inline std::vector<std::vector<Hypothesis>> search_all(SearchModel& model, const std::vector<SearchRequest>& requests,
                                                       const BeamSearchOptions& options, int64_t at_a_time = 64) {
  return results_of(requests, at_a_time, [&](SentenceQueue& queue) { beam_search(model, queue, options); });
}

}  // namespace transformer

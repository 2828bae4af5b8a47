#include "decoding/beam_search.h"

#include <algorithm>
#include <utility>

#include "decoding/best_continuations.h"
#include "decoding/run_search.h"

namespace transformer {
namespace {

/// Greedy search follows the best token. A wider beam needs a spare for each candidate that may end its hypothesis.
int64_t num_candidates(const BeamSearchOptions& options) { return options.beam_size == 1 ? 1 : 2 * options.beam_size; }

/// The sentence's best candidates, best first; `continuations` points to a list for each of its live hypotheses.
std::vector<Candidate> best_candidates(const RunningSentence& sentence, const std::vector<Continuation>* continuations,
                                       const BeamSearchOptions& options) {
  std::vector<Candidate> candidates;
  for (size_t parent = 0; parent < sentence.live.size(); ++parent) {
    for (const auto& [token, log_prob] : continuations[parent]) {
      candidates.push_back({parent, token, log_prob, sentence.live[parent].log_prob + log_prob});
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.log_prob > b.log_prob; });
  candidates.resize(std::min(candidates.size(), static_cast<size_t>(num_candidates(options))));
  int64_t num_live = 0;
  for (Candidate& candidate : candidates) {
    if (candidate.token == options.special_tokens.end) {
      candidate.state = Candidate::State::finished;
    } else {
      candidate.state = num_live < options.beam_size ? Candidate::State::live : Candidate::State::dropped;
      ++num_live;
    }
  }
  return candidates;
}

void add_finished(RunningSentence& sentence, Hypothesis hypothesis, const BeamSearchOptions& options) {
  const auto is_better = [&](const Hypothesis& a, const Hypothesis& b) {
    return a.score(options.penalty) > b.score(options.penalty);
  };
  auto& finished = sentence.finished;
  finished.insert(std::upper_bound(finished.begin(), finished.end(), hypothesis, is_better), std::move(hypothesis));
  if (std::ssize(finished) > options.nbest) finished.pop_back();
}

/// Replaces the sentence's live hypotheses by the candidates.
void advance(RunningSentence& sentence, const std::vector<Candidate>& candidates, const BeamSearchOptions& options) {
  std::vector<LiveHypothesis> live;
  for (const Candidate& candidate : candidates) {
    if (candidate.state == Candidate::State::dropped) continue;
    LiveHypothesis next = extended(sentence, candidate.parent, candidate.token, candidate.token_log_prob);
    if (candidate.state == Candidate::State::finished) {
      add_finished(sentence, std::move(next), options);
    } else {
      live.push_back(std::move(next));
    }
  }
  if (live.empty() && sentence.finished.empty()) return sentence.end_without_permitted_token();
  sentence.live = std::move(live);
}

/// Whether the search of this sentence is over: no hypothesis is live, the live ones have the maximal length, or none
/// of them can still beat the finished ones. Unless a logits processor raises them, log-probabilities only fall, and
/// the length penalty favors a live hypothesis most at the maximal length.
bool is_decided(const RunningSentence& sentence, const BeamSearchOptions& options) {
  if (sentence.live.empty()) return true;
  if (std::ssize(sentence.live.front().tokens) >= sentence.max_length()) return true;
  if (std::ssize(sentence.finished) < options.nbest || sentence.scores_may_rise) return false;
  const double best_possible = options.penalty.score(sentence.live.front().log_prob, sentence.max_length());
  return sentence.finished.back().score(options.penalty) >= best_possible;
}

/// Adds the best live hypotheses if fewer than `nbest` have finished.
void finish(RunningSentence& sentence, const BeamSearchOptions& options) {
  for (auto& hypothesis : sentence.live) {
    if (std::ssize(sentence.finished) == options.nbest) break;
    sentence.finished.push_back(std::move(hypothesis));
  }
  sentence.is_done = true;
}

}  // namespace

void beam_search(SearchModel& model, SentenceQueue& queue, const BeamSearchOptions& options) {
  TORCH_CHECK(options.nbest >= 1 && options.nbest <= options.beam_size, "nbest ", options.nbest, " of a beam of ",
              options.beam_size);
  run_search(model, queue, options.special_tokens.decoder_start,
             [&](const torch::Tensor& logits, const std::vector<NextTokenRules>& rules,
                 std::vector<RunningSentence>& sentences) {
               const auto continuations = best_continuations(logits, rules, num_candidates(options));
               for (RunningSentence& sentence : sentences) {
                 const auto* of_sentence = &continuations[static_cast<size_t>(sentence.first_row)];
                 const auto candidates = best_candidates(sentence, of_sentence, options);
                 if (options.on_step) options.on_step(sentence.queued->id(), candidates);
                 advance(sentence, candidates, options);
                 if (!sentence.is_done && is_decided(sentence, options)) finish(sentence, options);
               }
             });
}

}  // namespace transformer

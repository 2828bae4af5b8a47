#include "decoding/beam_search.h"

#include <algorithm>
#include <utility>

#include "decoding/best_continuations.h"
#include "decoding/run_search.h"

namespace transformer {
namespace {

/// Greedy search follows the best token. A wider beam needs a spare for each candidate that may end its hypothesis.
int64_t num_candidates(const BeamSearchOptions& options) { return options.beam_size == 1 ? 1 : 2 * options.beam_size; }

/// How many hypotheses may be live after this step.
int64_t beam_width(const RunningSentence& sentence, const BeamSearchOptions& options) {
  const int64_t taken = options.stopping == Stopping::shrinking ? std::ssize(sentence.finished) : 0;
  return options.beam_size - taken;
}

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
  const int64_t width = beam_width(sentence, options);
  int64_t place = 0, num_live = 0;
  for (Candidate& candidate : candidates) {
    const bool ends = candidate.token == options.special_tokens.end, is_in_beam = place++ < width;
    const bool has_room = options.stopping == Stopping::shrinking ? is_in_beam : num_live < width;
    if (ends ? is_in_beam || options.stopping == Stopping::exact : has_room) {
      candidate.state = ends ? Candidate::State::finished : Candidate::State::live;
    } else {
      candidate.state = Candidate::State::dropped;
    }
    num_live += ends ? 0 : 1;
  }
  return candidates;
}

void add_finished(RunningSentence& sentence, Hypothesis hypothesis, const BeamSearchOptions& options) {
  const auto is_better = [&](const Hypothesis& a, const Hypothesis& b) {
    return a.score(options.penalty) > b.score(options.penalty);
  };
  auto& finished = sentence.finished;
  finished.insert(std::upper_bound(finished.begin(), finished.end(), hypothesis, is_better), std::move(hypothesis));
  // The other rules compare with as many finished hypotheses as the beam has.
  if (std::ssize(finished) > (options.stopping == Stopping::exact ? options.nbest : options.beam_size)) {
    finished.pop_back();
  }
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

bool has_maximal_length(const RunningSentence& sentence) {
  return !sentence.live.empty() && std::ssize(sentence.live.front().tokens) >= sentence.max_length();
}

/// Whether no live hypothesis can still beat the finished ones. Unless a logits processor raises them,
/// log-probabilities only fall, and the length penalty favors a live hypothesis most at the maximal length.
bool cannot_be_beaten(const RunningSentence& sentence, const BeamSearchOptions& options) {
  if (std::ssize(sentence.finished) < options.nbest || sentence.scores_may_rise) return false;
  const double best_possible = options.penalty.score(sentence.live.front().log_prob, sentence.max_length());
  return sentence.finished.back().score(options.penalty) >= best_possible;
}

/// Whether the search of this sentence is over.
bool is_decided(const RunningSentence& sentence, const BeamSearchOptions& options) {
  if (sentence.live.empty() || has_maximal_length(sentence)) return true;
  const bool is_full = std::ssize(sentence.finished) >= options.beam_size;
  switch (options.stopping) {
    case Stopping::exact:
      return cannot_be_beaten(sentence, options);
    case Stopping::full:
      return is_full;
    case Stopping::outscored:
      return is_full && sentence.live.front().score(options.penalty) <= sentence.finished.back().score(options.penalty);
    case Stopping::shrinking:
      return false;
  }
  TORCH_CHECK(false, "unknown rule of stopping");
}

/// Leaves the `nbest` best finished hypotheses, and adds the best live ones if fewer have finished.
void finish(RunningSentence& sentence, const BeamSearchOptions& options) {
  if (options.stopping != Stopping::exact && has_maximal_length(sentence)) {
    for (auto& hypothesis : sentence.live) add_finished(sentence, std::move(hypothesis), options);
    sentence.live.clear();
  }
  for (auto& hypothesis : sentence.live) {
    if (std::ssize(sentence.finished) >= options.nbest) break;
    sentence.finished.push_back(std::move(hypothesis));
  }
  if (std::ssize(sentence.finished) > options.nbest) {
    sentence.finished.resize(static_cast<size_t>(options.nbest));
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

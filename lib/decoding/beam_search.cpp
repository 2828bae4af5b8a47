#include "decoding/beam_search.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "decoding/best_continuations.h"
#include "decoding/run_search.h"

namespace transformer {
namespace {

/// Greedy search follows the best token. A wider beam needs a spare for each candidate that may end its hypothesis.
int64_t num_candidates(const BeamSearchOptions& options) { return options.beam_size == 1 ? 1 : 2 * options.beam_size; }

/// Whether a finished hypothesis takes the place of a live one in its step, instead of the next best that does not end.
bool keeps_places_of_finished(const BeamSearchOptions& options) {
  return options.stopping == Stopping::shrinking || options.stopping == Stopping::topmost;
}

/// How many hypotheses may be live after this step.
int64_t beam_width(const RunningSentence& sentence, const BeamSearchOptions& options) {
  const int64_t taken = options.stopping == Stopping::shrinking ? std::ssize(sentence.finished) : 0;
  // One hypothesis for each number of goals that it may have reached, and one that has begun with a goal.
  const int64_t least = sentence.num_goals > 0 ? sentence.num_goals + 2 : 0;
  return std::max(options.beam_size, least) - taken;
}

/// Lets candidates that have come equally far towards the sentence's goals compete among each other: orders the best of
/// each such group first, then the second best of each, and so on (dynamic beam allocation, Post and Vilar, 2018).
/// Groups of candidates that have not begun with a goal come first, so that the best of each always live.
void divide_among_goals(const RunningSentence& sentence, std::vector<Candidate>& candidates) {
  using Group = std::tuple<bool, int64_t, int64_t>;
  std::vector<std::tuple<int64_t, Group, Candidate>> places;  // the place in its group, and the group
  std::map<Group, int64_t> group_sizes;
  for (const Candidate& candidate : candidates) {
    const auto [reached, begun] = extended_progress(sentence, candidate.parent, candidate.token);
    const Group group(begun > 0, -reached, -begun);
    places.emplace_back(group_sizes[group]++, group, candidate);
  }
  std::stable_sort(places.begin(), places.end(), [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
  });
  for (size_t i = 0; i < candidates.size(); ++i) candidates[i] = std::get<2>(places[i]);
}

/// The sentence's best candidates, best first; `continuations` points to a list for each of its live hypotheses.
std::vector<Candidate> best_candidates(const RunningSentence& sentence, const std::vector<Continuation>* continuations,
                                       const BeamSearchOptions& options) {
  std::vector<Candidate> candidates;
  for (size_t parent = 0; parent < sentence.live.size(); ++parent) {
    double penalty = 0;
    for (const auto& [token, log_prob] : continuations[parent]) {
      Candidate& candidate =
          candidates.emplace_back(Candidate{parent, token, log_prob, sentence.live[parent].log_prob + log_prob});
      candidate.penalty = penalty += options.diversity;
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.log_prob - a.penalty > b.log_prob - b.penalty;
  });
  if (sentence.num_goals > 0) divide_among_goals(sentence, candidates);
  const int64_t width = beam_width(sentence, options);
  const int64_t num_kept = std::max(num_candidates(options), sentence.num_goals > 0 ? 2 * width : 0);
  candidates.resize(std::min(candidates.size(), static_cast<size_t>(num_kept)));
  int64_t place = 0, num_live = 0;
  for (Candidate& candidate : candidates) {
    const bool ends = candidate.token == options.special_tokens.end, is_in_beam = place++ < width;
    const bool has_room = keeps_places_of_finished(options) ? is_in_beam : num_live < width;
    if (ends ? is_in_beam || options.stopping == Stopping::exact : has_room) {
      candidate.state = ends ? Candidate::State::finished : Candidate::State::live;
    } else {
      candidate.state = Candidate::State::dropped;
    }
    num_live += ends ? 0 : 1;
  }
  if (sentence.num_goals > 0 || options.diversity > 0) {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.log_prob > b.log_prob; });
  }
  return candidates;
}

void add_finished(RunningSentence& sentence, Hypothesis hypothesis, const BeamSearchOptions& options) {
  const auto is_better = [&](const Hypothesis& a, const Hypothesis& b) {
    return std::pair(a.progress.reached, a.score(options.penalty)) >
           std::pair(b.progress.reached, b.score(options.penalty));
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

/// Whether no live hypothesis can still beat the finished ones, neither by reaching more goals nor by its score. Unless
/// a logits processor raises them, log-probabilities only fall, and the length penalty favors a live hypothesis most at
/// the maximal length.
bool cannot_be_beaten(const RunningSentence& sentence, const BeamSearchOptions& options) {
  if (std::ssize(sentence.finished) < options.nbest || sentence.scores_may_rise) return false;
  if (sentence.finished.back().progress.reached < sentence.num_goals) return false;
  const double best_possible = options.penalty.score(sentence.live.front().log_prob, sentence.max_length());
  return sentence.finished.back().score(options.penalty) >= best_possible;
}

/// Whether the search of this sentence is over. `candidates` are those of the last step.
bool is_decided(const RunningSentence& sentence, const std::vector<Candidate>& candidates,
                const BeamSearchOptions& options) {
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
    case Stopping::topmost:
      return candidates.front().state == Candidate::State::finished && std::ssize(sentence.finished) >= options.nbest;
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
                 if (!sentence.is_done && is_decided(sentence, candidates, options)) finish(sentence, options);
               }
             });
}

}  // namespace transformer

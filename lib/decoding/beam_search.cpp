#include "decoding/beam_search.h"

#include <algorithm>

#include "decoding/best_continuations.h"

namespace transformer {
namespace {

/// The search of one sentence.
struct Sentence {
  int64_t id;
  int64_t max_length;
  std::vector<Hypothesis> live = {Hypothesis{}};  // best first
  std::vector<int64_t> parents = {-1};            // for each live hypothesis, its row in the previous step
  std::vector<Hypothesis> finished = {};          // the best `nbest`, best first
};

std::vector<StepRow> step_rows(const std::vector<Sentence>& sentences, int64_t begin) {
  std::vector<StepRow> rows;
  for (const auto& sentence : sentences) {
    for (size_t i = 0; i < sentence.live.size(); ++i) {
      const auto& tokens = sentence.live[i].tokens;
      rows.push_back({sentence.id, sentence.parents[i], tokens.empty() ? begin : tokens.back()});
    }
  }
  return rows;
}

std::vector<PartialOutput> partial_outputs(const std::vector<Sentence>& sentences) {
  std::vector<PartialOutput> rows;
  for (const auto& sentence : sentences) {
    for (const auto& hypothesis : sentence.live) rows.push_back({sentence.id, &hypothesis.tokens});
  }
  return rows;
}

/// Greedy search follows the best token. A wider beam needs a spare for each candidate that may end its hypothesis.
int64_t num_candidates(const SearchOptions& options) { return options.beam_size == 1 ? 1 : 2 * options.beam_size; }

/// The sentence's best candidates, best first; `continuations` points to a list for each of its live hypotheses.
std::vector<Candidate> best_candidates(const Sentence& sentence, const std::vector<Continuation>* continuations,
                                       const SearchOptions& options) {
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
    if (candidate.token == options.rules.end) {
      candidate.state = Candidate::State::finished;
    } else {
      candidate.state = num_live < options.beam_size ? Candidate::State::live : Candidate::State::dropped;
      ++num_live;
    }
  }
  return candidates;
}

Hypothesis extended(const Hypothesis& parent, const Candidate& candidate) {
  Hypothesis next = parent;
  next.append(candidate.token, candidate.token_log_prob);
  return next;
}

void add_finished(Sentence& sentence, Hypothesis hypothesis, const SearchOptions& options) {
  const auto is_better = [&](const Hypothesis& a, const Hypothesis& b) {
    return a.score(options.penalty) > b.score(options.penalty);
  };
  auto& finished = sentence.finished;
  finished.insert(std::upper_bound(finished.begin(), finished.end(), hypothesis, is_better), std::move(hypothesis));
  if (std::ssize(finished) > options.nbest) finished.pop_back();
}

/// Replaces the sentence's live hypotheses, which had the rows from `first_row` on in this step, by the candidates.
void advance(Sentence& sentence, int64_t first_row, const std::vector<Candidate>& candidates,
             const SearchOptions& options) {
  std::vector<Hypothesis> live;
  sentence.parents.clear();
  for (const Candidate& candidate : candidates) {
    if (candidate.state == Candidate::State::dropped) continue;
    Hypothesis next = extended(sentence.live[candidate.parent], candidate);
    if (candidate.state == Candidate::State::finished) {
      add_finished(sentence, std::move(next), options);
    } else {
      live.push_back(std::move(next));
      sentence.parents.push_back(first_row + static_cast<int64_t>(candidate.parent));
    }
  }
  TORCH_CHECK(!live.empty() || !sentence.finished.empty(), "no token is permitted after ",
              sentence.live[0].tokens.size(), " tokens");
  sentence.live = std::move(live);
}

/// Whether the search of this sentence is over: no hypothesis is live, the live ones have the maximal length, or none
/// of them can still beat the finished ones. Log-probabilities only fall, and the length penalty favors a live
/// hypothesis most at the maximal length.
bool is_decided(const Sentence& sentence, const SearchOptions& options) {
  if (sentence.live.empty()) return true;
  if (std::ssize(sentence.live.front().tokens) >= sentence.max_length) return true;
  if (std::ssize(sentence.finished) < options.nbest) return false;
  const double best_possible = options.penalty.score(sentence.live.front().log_prob, sentence.max_length);
  return sentence.finished.back().score(options.penalty) >= best_possible;
}

/// The finished hypotheses, followed by the best live ones if fewer than `nbest` have finished.
std::vector<Hypothesis> results_of(Sentence& sentence, const SearchOptions& options) {
  std::vector<Hypothesis> results = std::move(sentence.finished);
  for (auto& hypothesis : sentence.live) {
    if (std::ssize(results) == options.nbest) break;
    results.push_back(std::move(hypothesis));
  }
  return results;
}

/// Adds sentences from the queue in place of those that have ended.
void refill(std::vector<Sentence>& sentences, SearchModel& model, SentenceQueue& queue) {
  std::vector<int64_t> running;
  for (const Sentence& sentence : sentences) running.push_back(sentence.id);
  for (const int64_t sentence_id : begin_next(running, queue, model)) {
    sentences.push_back({.id = sentence_id, .max_length = queue.max_length(sentence_id)});
  }
}

}  // namespace

void beam_search(SearchModel& model, SentenceQueue& queue, const SearchOptions& options, SearchResults& results) {
  TORCH_CHECK(options.nbest >= 1 && options.nbest <= options.beam_size, "nbest ", options.nbest, " of a beam of ",
              options.beam_size);
  std::vector<Sentence> sentences;
  for (refill(sentences, model, queue); !sentences.empty(); refill(sentences, model, queue)) {
    const auto logits = model.step(step_rows(sentences, options.rules.begin));  // [rows, vocab]
    const auto continuations =
        best_continuations(logits, options.rules, partial_outputs(sentences), num_candidates(options));
    std::vector<Sentence> unfinished;
    int64_t first_row = 0;
    for (Sentence& sentence : sentences) {
      const auto candidates = best_candidates(sentence, &continuations[static_cast<size_t>(first_row)], options);
      if (options.on_step) options.on_step(sentence.id, candidates);
      const auto num_rows = std::ssize(sentence.live);
      advance(sentence, first_row, candidates, options);
      first_row += num_rows;
      if (is_decided(sentence, options)) {
        results[static_cast<size_t>(sentence.id)] = results_of(sentence, options);
        queue.end_one();
      } else {
        unfinished.push_back(std::move(sentence));
      }
    }
    sentences = std::move(unfinished);
  }
}

}  // namespace transformer

#include "decoding/beam_search.h"

#include <algorithm>

namespace transformer {
namespace {

/// The search of one sentence.
struct Sentence {
  size_t number;  // in the caller's order
  int64_t max_length;
  std::vector<Hypothesis> live = {Hypothesis{}};  // best first
  std::vector<Hypothesis> finished = {};          // best first, no more than are asked for
};

/// One way to go on: hypothesis `parent` of the sentence, and `token` after it.
struct Candidate {
  int64_t parent, token;
  double log_prob;
};

std::vector<ConstrainedRow> rows_of(const std::vector<Sentence>& sentences) {
  std::vector<ConstrainedRow> rows;
  for (const auto& sentence : sentences) {
    for (const auto& hypothesis : sentence.live) rows.push_back({sentence.number, &hypothesis.tokens});
  }
  return rows;
}

/// Greedy search follows its one best token; a wider beam needs as many spare candidates as may turn out finished.
int64_t num_candidates(const SearchOptions& options) { return options.beam_size == 1 ? 1 : 2 * options.beam_size; }

/// The best continuations of every sentence, best first. log_probs [rows, vocab].
std::vector<std::vector<Candidate>> best_candidates(const torch::Tensor& log_probs,
                                                    const std::vector<Sentence>& sentences,
                                                    const SearchOptions& options) {
  const auto num_sentences = static_cast<int64_t>(sentences.size());
  const int64_t vocab = log_probs.size(1);
  std::vector<float> so_far;
  for (const auto& sentence : sentences) {
    for (const auto& hypothesis : sentence.live) so_far.push_back(static_cast<float>(hypothesis.log_prob));
  }
  const auto totals = log_probs + torch::tensor(so_far).to(log_probs.device()).unsqueeze(1);  // [rows, vocab]
  const auto continuations = totals.view({num_sentences, -1});  // [sentences, hypotheses * vocab]
  const int64_t count = std::min(num_candidates(options), continuations.size(1));
  const auto [values, indices] = continuations.topk(count, 1);
  const auto value = values.cpu(), index = indices.cpu();
  const auto value_at = value.accessor<float, 2>();
  const auto index_at = index.accessor<int64_t, 2>();
  std::vector<std::vector<Candidate>> candidates(sentences.size());
  for (int64_t s = 0; s < num_sentences; ++s) {
    for (int64_t c = 0; c < count; ++c) {
      candidates[static_cast<size_t>(s)].push_back({index_at[s][c] / vocab, index_at[s][c] % vocab, value_at[s][c]});
    }
  }
  return candidates;
}

void add_finished(Sentence& sentence, Hypothesis hypothesis, const SearchOptions& options) {
  const auto is_better = [&](const Hypothesis& a, const Hypothesis& b) {
    return score(a, options.penalty) > score(b, options.penalty);
  };
  auto& finished = sentence.finished;
  finished.insert(std::upper_bound(finished.begin(), finished.end(), hypothesis, is_better), std::move(hypothesis));
  if (std::ssize(finished) > options.nbest) finished.pop_back();
}

/// Takes the candidates into the sentence. Returns for each new live hypothesis the one it comes from.
std::vector<int64_t> advance(Sentence& sentence, const std::vector<Candidate>& candidates,
                             const SearchOptions& options) {
  std::vector<Hypothesis> live;
  std::vector<int64_t> parents;
  for (const Candidate& candidate : candidates) {
    if (candidate.log_prob == kImpossible) break;
    Hypothesis next = sentence.live[static_cast<size_t>(candidate.parent)];
    next.tokens.push_back(candidate.token);
    next.token_log_probs.push_back(static_cast<float>(candidate.log_prob - next.log_prob));
    next.log_prob = candidate.log_prob;
    if (candidate.token == options.rules.end) {
      add_finished(sentence, std::move(next), options);
    } else if (static_cast<int64_t>(live.size()) < options.beam_size) {
      live.push_back(std::move(next));
      parents.push_back(candidate.parent);
    }
  }
  // A tiny vocabulary may leave the beam unfilled; the rows must stay equally many for every sentence.
  while (!live.empty() && static_cast<int64_t>(live.size()) < options.beam_size) {
    live.push_back(live.front());
    live.back().log_prob = kImpossible;
    parents.push_back(parents.front());
  }
  TORCH_CHECK(!live.empty() || !sentence.finished.empty(), "nothing is allowed after ", sentence.live[0].tokens.size(),
              " tokens");
  sentence.live = std::move(live);
  return parents;
}

/// Whether nothing that is still live can win: log-probabilities only fall, and the penalty that helps a live
/// hypothesis most is the one of the longest output.
bool is_decided(const Sentence& sentence, const SearchOptions& options) {
  if (sentence.live.empty()) return true;
  if (static_cast<int64_t>(sentence.live.front().tokens.size()) >= sentence.max_length) return true;
  if (std::ssize(sentence.finished) < options.nbest) return false;
  const double best_possible = sentence.live.front().log_prob / options.penalty(sentence.max_length);
  return score(sentence.finished.back(), options.penalty) >= best_possible;
}

/// The finished hypotheses, and the best live ones where they are too few.
std::vector<Hypothesis> results_of(Sentence& sentence, const SearchOptions& options) {
  std::vector<Hypothesis> results = std::move(sentence.finished);
  for (auto& hypothesis : sentence.live) {
    if (std::ssize(results) == options.nbest || hypothesis.log_prob == kImpossible) break;
    results.push_back(std::move(hypothesis));
  }
  return results;
}

}  // namespace

double score(const Hypothesis& hypothesis, const LengthPenalty& penalty) {
  return hypothesis.log_prob / penalty(std::ssize(hypothesis.tokens));
}

std::vector<std::vector<Hypothesis>> beam_search(SearchModel& model, const std::vector<int64_t>& max_lengths,
                                                 const SearchOptions& options) {
  TORCH_CHECK(options.nbest >= 1 && options.nbest <= options.beam_size, "nbest ", options.nbest, " of a beam of ",
              options.beam_size);
  std::vector<std::vector<Hypothesis>> results(max_lengths.size());
  std::vector<Sentence> sentences;
  for (size_t i = 0; i < max_lengths.size(); ++i) {
    TORCH_CHECK(max_lengths[i] >= 1, "an output has at least its end symbol");
    sentences.push_back({.number = i, .max_length = max_lengths[i]});
  }
  std::vector<int64_t> last_tokens(sentences.size(), options.rules.begin);
  while (!sentences.empty()) {
    const auto log_probs = constrained(model.next_log_probs(torch::tensor(last_tokens)), options.rules,
                                       rows_of(sentences));  // [rows, vocab]
    const auto candidates = best_candidates(log_probs, sentences, options);

    std::vector<Sentence> going_on;
    std::vector<int64_t> kept_sentences, kept_rows;
    last_tokens.clear();
    int64_t first_row = 0;
    for (size_t s = 0; s < sentences.size(); ++s) {
      const auto num_rows = static_cast<int64_t>(sentences[s].live.size());
      const auto parents = advance(sentences[s], candidates[s], options);
      if (is_decided(sentences[s], options)) {
        results[sentences[s].number] = results_of(sentences[s], options);
      } else {
        kept_sentences.push_back(static_cast<int64_t>(s));
        for (size_t i = 0; i < parents.size(); ++i) {
          kept_rows.push_back(first_row + parents[i]);
          last_tokens.push_back(sentences[s].live[i].tokens.back());
        }
        going_on.push_back(std::move(sentences[s]));
      }
      first_row += num_rows;
    }
    sentences = std::move(going_on);
    if (!sentences.empty()) model.keep(torch::tensor(kept_sentences), torch::tensor(kept_rows));
  }
  return results;
}

}  // namespace transformer

#include "decoding/run_search.h"

#include <exception>
#include <utility>

#include "base/format.h"

namespace transformer {
namespace {

void end_cancelled(std::vector<RunningSentence>& sentences, const SentenceQueue& queue) {
  std::erase_if(sentences, [&](const RunningSentence& sentence) {
    if (!queue.is_cancelled(*sentence.queued)) return false;
    sentence.queued->end({.error = std::make_exception_ptr(SearchCancelled())});
    return true;
  });
}

/// Adds sentences from the queue in place of those that have ended.
void refill(std::vector<RunningSentence>& sentences, SearchModel& model, SentenceQueue& queue) {
  std::vector<SharedSentence> running;
  for (const auto& sentence : sentences) running.push_back(sentence.queued);
  // All are in the list before a logits processor is called, so that none is lost if it throws.
  const size_t first = sentences.size();
  for (auto& taken : queue.take(running)) sentences.emplace_back(std::move(taken));
  std::vector<SearchSource> joining;
  for (size_t i = first; i < sentences.size(); ++i) {
    sentences[i].start();
    joining.push_back({sentences[i].queued->id(), &sentences[i].queued->request().source});
  }
  if (!joining.empty()) model.begin(joining);
}

/// The rows of the next step: each live hypothesis of each sentence.
std::vector<StepRow> step_rows(std::vector<RunningSentence>& sentences, TokenId decoder_start) {
  std::vector<StepRow> rows;
  for (auto& sentence : sentences) {
    sentence.first_row = std::ssize(rows);
    for (const auto& hypothesis : sentence.live) {
      const auto& tokens = hypothesis.tokens;
      rows.push_back({sentence.queued->id(), hypothesis.parent, tokens.empty() ? decoder_start : tokens.back()});
    }
  }
  return rows;
}

std::vector<NextTokenRules> rules_of_rows(const std::vector<RunningSentence>& sentences) {
  std::vector<NextTokenRules> rules;
  for (const auto& sentence : sentences) {
    for (const auto& hypothesis : sentence.live) {
      rules.push_back(next_token_rules(sentence.processors(), hypothesis.tokens, hypothesis.states));
    }
  }
  return rules;
}

void end_done(std::vector<RunningSentence>& sentences) {
  std::erase_if(sentences, [](RunningSentence& sentence) {
    if (sentence.is_done) sentence.queued->end({.hypotheses = std::move(sentence.finished), .error = sentence.error});
    return sentence.is_done;
  });
}

}  // namespace

void RunningSentence::start() {
  scores_may_rise = raise_scores(processors());
  num_goals = transformer::num_goals(processors());
  live.emplace_back().states = initial_states(processors());
}

void RunningSentence::end_without_permitted_token() {
  error = std::make_exception_ptr(
      NoPermittedToken("no token is permitted after {} of the output; let the prefix and the other constraints of this "
                       "sentence leave one",
                       counted(std::ssize(live.front().tokens), "token")));
  is_done = true;
}

Progress extended_progress(const RunningSentence& sentence, size_t hypothesis, TokenId token) {
  const LiveHypothesis& before = sentence.live[hypothesis];
  if (before.progress.reached == sentence.num_goals) return {.reached = sentence.num_goals};
  std::vector<TokenId> tokens;
  tokens.reserve(before.tokens.size() + 1);
  tokens.assign(before.tokens.begin(), before.tokens.end());
  tokens.push_back(token);
  return progress(sentence.processors(), tokens, next_states(sentence.processors(), before.states, token));
}

LiveHypothesis extended(const RunningSentence& sentence, size_t hypothesis, TokenId token, double token_log_prob) {
  const LiveHypothesis& before = sentence.live[hypothesis];
  LiveHypothesis next{before, sentence.first_row + static_cast<int64_t>(hypothesis),
                      next_states(sentence.processors(), before.states, token)};
  next.append(token, token_log_prob);
  if (before.progress.reached < sentence.num_goals) {
    next.progress = progress(sentence.processors(), next.tokens, next.states);
  } else {
    next.progress.begun = 0;
  }
  return next;
}

void run_search(SearchModel& model, SentenceQueue& queue, TokenId decoder_start, const AdvanceSentences& advance) {
  std::vector<RunningSentence> sentences;
  try {
    for (refill(sentences, model, queue); !sentences.empty(); refill(sentences, model, queue)) {
      const auto logits = model.step(step_rows(sentences, decoder_start));  // [rows, vocab]
      advance(logits, rules_of_rows(sentences), sentences);
      end_done(sentences);
      end_cancelled(sentences, queue);
    }
  } catch (...) {
    end_done(sentences);
    for (const auto& sentence : sentences) sentence.queued->end({.error = std::current_exception()});
    throw;
  }
}

}  // namespace transformer

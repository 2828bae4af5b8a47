#pragma once

#include <torch/types.h>

#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "decoding/hypothesis.h"
#include "decoding/logits_processor.h"
#include "decoding/search_model.h"
#include "decoding/sentence_queue.h"

namespace transformer {

/// A hypothesis that a search extends, with what the logits processors remember of it.
struct LiveHypothesis : Hypothesis {
  int64_t parent = -1;  // its row in the previous step; -1 in its sentence's first step
  ProcessorStates states = {};
};

/// A sentence that is searched.
struct RunningSentence {
  explicit RunningSentence(SharedSentence queued_sentence) : queued(std::move(queued_sentence)) {}

  /// Begins with the empty hypothesis. A logits processor may throw.
  void start();
  /// Ends this sentence alone, with the error NoPermittedToken.
  void end_without_permitted_token();

  int64_t max_length() const { return queued->request().max_length; }
  const LogitsProcessors& processors() const { return queued->request().processors; }

  SharedSentence queued;
  int64_t first_row = 0;                  // in this step, that of its first live hypothesis; the others follow
  std::vector<LiveHypothesis> live;       // best first
  std::vector<Hypothesis> finished = {};  // best first
  bool is_done = false;                   // `finished` or `error` is the result
  std::exception_ptr error = nullptr;
  bool scores_may_rise = false;  // because of a logits processor
  int64_t num_goals = 0;         // of its logits processors
};

/// The progress of a live hypothesis after one more token, for a sentence with goals.
Progress extended_progress(const RunningSentence& sentence, size_t hypothesis, TokenId token);

/// `hypothesis` and one more token.
LiveHypothesis extended(const RunningSentence& sentence, size_t hypothesis, TokenId token, double token_log_prob);

/// Extends the live hypotheses of all sentences by a token, and marks the sentences that are done. `logits` [rows,
/// vocab] and `rules` have a row for each live hypothesis.
using AdvanceSentences = std::function<void(const torch::Tensor& logits, const std::vector<NextTokenRules>& rules,
                                            std::vector<RunningSentence>& sentences)>;

/// Searches for the outputs of the queue's sentences, step by step: takes sentences from the queue in place of those
/// that have ended, lets the model compute the logits of all hypotheses and `advance` choose their next tokens, and
/// ends the sentences that are done. The decoder's input begins with `decoder_start`. Returns when the queue is closed
/// and empty. If something throws, ends its sentences with that exception and throws it on.
void run_search(SearchModel& model, SentenceQueue& queue, TokenId decoder_start, const AdvanceSentences& advance);

}  // namespace transformer

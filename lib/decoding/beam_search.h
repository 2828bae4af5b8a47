#pragma once

#include "decoding/length_penalty.h"
#include "decoding/search_model.h"
#include "decoding/search_step.h"
#include "decoding/sentence_queue.h"
#include "decoding/stopping.h"
#include "text/special_tokens.h"

namespace transformer {

struct BeamSearchOptions {
  int64_t beam_size;
  LengthPenalty penalty;
  Stopping stopping = Stopping::exact;
  SpecialTokens special_tokens = {};  // of which the search needs what the decoder starts with and the end symbol
  int64_t nbest = 1;                  // hypotheses to return for each sentence, at most beam_size
  SearchStepCallback on_step = {};
  /// If positive, hypotheses of different parents are preferred: where candidates are chosen, the log-probability of
  /// the n-th best continuation of a hypothesis counts n times this much less (Li and Jurafsky, 2016; fairseq's
  /// --diversity-rate). Scores are without it.
  double diversity = 0;
};

/// Beam search (§6.1, Deviation D10) over the sentences of a queue; a beam of 1 is greedy search. A sentence's result
/// does not depend on the other sentences. Its search ends when no live hypothesis can still beat the `nbest` best
/// finished ones, or as `stopping` says, and a sentence from the queue takes its place. Its result is the finished
/// hypotheses, those that reach more goals of the sentence's logits processors before the others, then, if fewer than
/// `nbest` have finished, the best live ones. Returns, and throws, as run_search does; throws NonFiniteScores if the
/// model's logits are not finite. Waits for a GPU once in each step.
void beam_search(SearchModel& model, SentenceQueue& queue, const BeamSearchOptions& options);

}  // namespace transformer

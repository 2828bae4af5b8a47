#pragma once

#include <vector>

#include "decoding/hypothesis.h"
#include "decoding/length_penalty.h"
#include "decoding/output_rules.h"
#include "decoding/search_model.h"
#include "decoding/search_step.h"
#include "decoding/sentence_queue.h"

namespace transformer {

struct SearchOptions {
  int64_t beam_size;
  LengthPenalty penalty;
  OutputRules rules;
  int64_t nbest = 1;  // hypotheses to return for each sentence, at most beam_size
  SearchStepCallback on_step = {};
};

/// The hypotheses of each sentence, best first.
using SearchResults = std::vector<std::vector<Hypothesis>>;

/// Beam search (§6.1, Deviation D10) over the sentences of a queue; a beam of 1 is greedy search. A sentence's result
/// does not depend on the other sentences. Its search ends when no live hypothesis can still beat the `nbest` best
/// finished ones, and a sentence from the queue takes its place. Sets the entries of `results` for the sentences taken
/// from the queue: the finished hypotheses, then, if fewer than `nbest` have finished, the best live ones. Waits for a
/// GPU once in each step. Throws NonFiniteScores if the model's logits are not finite.
void beam_search(SearchModel& model, SentenceQueue& queue, const SearchOptions& options, SearchResults& results);

}  // namespace transformer

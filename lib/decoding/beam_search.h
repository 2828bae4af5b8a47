#pragma once

#include <vector>

#include "decoding/length_penalty.h"
#include "decoding/search_constraint.h"
#include "decoding/search_model.h"
#include "decoding/sentence_queue.h"

namespace transformer {

struct SearchOptions {
  int64_t beam_size;
  LengthPenalty penalty;
  OutputRules rules;
  int64_t nbest = 1;  // hypotheses of each sentence that are asked for, at most beam_size
};

/// log P(y|x) / penalty(|y|): what hypotheses are compared by (§6.1).
double score(const Hypothesis& hypothesis, const LengthPenalty& penalty);

/// The hypotheses of each sentence, best first.
using SearchResults = std::vector<std::vector<Hypothesis>>;

/// Beam search (§6.1, Deviation D10) for the sentences of a queue. Each is searched as if alone and ends when no live
/// hypothesis can still beat its `nbest` best finished ones; then a waiting one takes its room. Sets the entries of
/// `results` for the sentences that it took: the finished hypotheses, and where fewer finished than are asked for the
/// best live ones after them. Beam 1 is greedy search.
void beam_search(SearchModel& model, SentenceQueue& queue, const SearchOptions& options, SearchResults& results);

}  // namespace transformer

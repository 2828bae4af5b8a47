#pragma once

#include <vector>

#include "decoding/length_penalty.h"
#include "decoding/search_constraint.h"
#include "decoding/search_model.h"

namespace transformer {

struct SearchOptions {
  int64_t beam_size;
  LengthPenalty penalty;
  OutputRules rules;
  int64_t nbest = 1;  // hypotheses of each sentence that are asked for, at most beam_size
};

/// log P(y|x) / penalty(|y|): what hypotheses are compared by (§6.1).
double score(const Hypothesis& hypothesis, const LengthPenalty& penalty);

/// Beam search (§6.1, Deviation D10) for sentences that the model was started with; sentence i gives at most
/// max_lengths[i] tokens, end symbol included. Each sentence is searched as if alone and retired when no live
/// hypothesis can still beat its `nbest` best finished ones. Returns for each these, best first, and where fewer
/// finished the best live ones after them. Beam 1 is greedy search.
std::vector<std::vector<Hypothesis>> beam_search(SearchModel& model, const std::vector<int64_t>& max_lengths,
                                                 const SearchOptions& options);

}  // namespace transformer

#pragma once

#include <cstdint>
#include <vector>

#include "decoding/search_constraint.h"
#include "decoding/search_model.h"

namespace transformer {

struct SamplingOptions {
  double temperature = 1;  // below 1 likely tokens become likelier
  int64_t top_k = 0;       // only the likeliest so many tokens of each step; 0: all
  uint64_t seed = 1;
};

/// One output for each sentence, drawn token by token from softmax(log P / temperature). What is drawn for a sentence
/// follows from the seed and `keys[i]`, not from its neighbours. Otherwise as beam_search; the log-probabilities are
/// the model's own, before temperature and top_k.
std::vector<Hypothesis> sample(SearchModel& model, const std::vector<int64_t>& max_lengths,
                               const std::vector<uint64_t>& keys, const SamplingOptions& options,
                               const OutputRules& rules);

}  // namespace transformer

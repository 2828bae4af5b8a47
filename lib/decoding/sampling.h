#pragma once

#include <cstdint>
#include <vector>

#include "decoding/search_constraint.h"
#include "decoding/search_model.h"
#include "decoding/sentence_queue.h"

namespace transformer {

struct SamplingOptions {
  double temperature = 1;  // below 1 likely tokens become likelier
  int64_t top_k = 0;       // only the likeliest so many tokens of each step; 0: all
  uint64_t seed = 1;
};

/// One output for each sentence of the queue, drawn token by token from softmax(log P / temperature). What is drawn for
/// sentence i follows from the seed and `keys[i]`, not from its neighbours. Sets the entries of `outputs` for the
/// sentences that it took; the log-probabilities are the model's own, before temperature and top_k.
void sample(SearchModel& model, SentenceQueue& queue, const std::vector<uint64_t>& keys, const SamplingOptions& options,
            const OutputRules& rules, std::vector<Hypothesis>& outputs);

}  // namespace transformer

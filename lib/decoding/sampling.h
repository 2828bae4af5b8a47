#pragma once

#include <cstdint>
#include <vector>

#include "decoding/hypothesis.h"
#include "decoding/output_rules.h"
#include "decoding/sampling_options.h"
#include "decoding/search_model.h"
#include "decoding/sentence_queue.h"

namespace transformer {

/// Samples one output for each sentence of the queue, token by token, from softmax(log P / temperature). The output of
/// sentence i depends on the seed and on `keys[i]`, not on the other sentences. Sets the entries of `outputs` for the
/// sentences taken from the queue; their log-probabilities are the model's, without temperature and top_k. Waits for a
/// GPU once in each step. Throws NonFiniteScores if the model's logits are not finite.
void sample(SearchModel& model, SentenceQueue& queue, const std::vector<uint64_t>& keys, const SamplingOptions& options,
            const OutputRules& rules, std::vector<Hypothesis>& outputs);

}  // namespace transformer

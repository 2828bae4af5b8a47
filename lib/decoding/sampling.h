#pragma once

#include "decoding/sampling_options.h"
#include "decoding/search_model.h"
#include "decoding/sentence_queue.h"
#include "text/special_tokens.h"

namespace transformer {

/// Samples one output for each sentence of the queue, token by token, from softmax(log P / temperature). A sentence's
/// output depends on the seed and on its sampling_key, not on the other sentences; its log-probability is without
/// temperature, top_k and top_p. Returns, and throws, as run_search does; throws NonFiniteScores if the model's logits
/// are not finite. Waits for a GPU once in each step.
void sample(SearchModel& model, SentenceQueue& queue, const SamplingOptions& options,
            const SpecialTokens& special_tokens);

}  // namespace transformer

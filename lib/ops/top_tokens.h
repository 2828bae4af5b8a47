#pragma once

#include "kernels/top_tokens.h"

namespace transformer {

/// The `count` most likely tokens (all of them if the vocabulary is smaller) of each row of logits [rows, vocab] in
/// fp32, bf16 or fp16, with their log-probabilities and the row's logsumexp.
TopTokens top_tokens(const torch::Tensor& logits, int64_t count);

}  // namespace transformer

#pragma once

#include "kernels/top_tokens.h"

namespace transformer::cpu {

/// The `count` most likely tokens of each row of logits [rows, vocab] in fp32, contiguous, and the logarithm of the
/// softmax's denominator, in one pass. `count` is at most `vocab`.
TopTokens top_tokens(const torch::Tensor& logits, int64_t count);

}  // namespace transformer::cpu

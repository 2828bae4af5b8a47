#pragma once

#include "kernels/top_tokens.h"

namespace transformer {

/// The softmax over the vocabulary and its `count` largest values (all of them if the vocabulary is smaller) of logits
/// [rows, vocab] in fp32, bf16 or fp16.
TopTokens top_tokens(const torch::Tensor& logits, int64_t count);

}  // namespace transformer

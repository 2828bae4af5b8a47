#pragma once

#include <torch/types.h>

#include <vector>

#include "decoding/output_rules.h"

namespace transformer {

/// A token that may come next, with log P(token | source, previous tokens).
struct Continuation {
  int64_t token;
  float log_prob;
};

/// The `count` most likely permitted tokens after each partial output, best first; fewer if the rules permit fewer.
/// logits [rows, vocab], with a row for each partial output. Waits for a GPU once. Throws NonFiniteScores if a row's
/// logits are not finite.
std::vector<std::vector<Continuation>> best_continuations(const torch::Tensor& logits, const OutputRules& rules,
                                                          const std::vector<PartialOutput>& outputs, int64_t count);

}  // namespace transformer

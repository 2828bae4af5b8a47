#pragma once

#include <torch/types.h>

#include <vector>

#include "decoding/next_token_rules.h"
#include "text/special_tokens.h"

namespace transformer {

/// A token that may come next, with log P(token | source, previous tokens) and what the rules add to it.
struct Continuation {
  TokenId token;
  float log_prob;
};

/// The `count` most likely tokens that the rules permit after each hypothesis, best first; fewer if they permit fewer.
/// Those that the rules want follow if they are not among them.
/// logits [rows, vocab], with rules for each row. Waits for a GPU once. Throws NonFiniteScores if a row's logits are
/// not finite.
std::vector<std::vector<Continuation>> best_continuations(const torch::Tensor& logits,
                                                          const std::vector<NextTokenRules>& rules, int64_t count);

}  // namespace transformer

#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

#include "run/attention_view.h"

namespace transformer {

/// The words of these tokens, each the text of its pieces.
std::vector<std::string> words_of(const std::vector<ShownToken>& tokens);

/// Attention between words instead of pieces: a word is attended to by the sum of its pieces' weights, and attends by
/// the mean of its pieces' weights, so that each row still sums to 1. weights [..., queries, keys] on the CPU. Returns
/// [..., query words, key words].
torch::Tensor merge_into_words(const torch::Tensor& weights, const std::vector<ShownToken>& queries,
                               const std::vector<ShownToken>& keys);

}  // namespace transformer

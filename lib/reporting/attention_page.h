#pragma once

#include <string>

#include "base/json.h"

namespace transformer {

/// A page that shows the attention weights of one sentence pair and, if known, the beam search that found the target:
/// attention.html with attention.css, the four scripts attention*.js and the data. It needs no other file and no
/// network.
///
/// S source and T target positions. `data` has these keys:
///   model, source_text, target_text: strings
///   source: a list of {piece, text, word, unknown} of length S, which ends with the end symbol if the model's
///     sources have one; `word` counts the words
///   target: the same for the decoder's inputs, of length T, which begin with what the model's decoder starts with;
///     each predicts the next piece, and the last one the end symbol, unless the best node of `search` is not finished
///   attention: {encoder, decoder, cross}, each {layers, heads, queries, keys, weights}; `weights` is a flat list
///     [layers, heads, queries, keys] of the softmax of Equation 1, times 10,000 and rounded
///   search: null or {beam_size, length_penalty (a string), best (an id), nodes: a list of {id, parent, step, piece,
///     token_log_prob, log_prob, score, state}}. A node is a candidate of its step (section 6.1), `state` is "live",
///     "finished" or "dropped"; the root has step 0, parent -1 and token_log_prob 0.
std::string attention_page(const Json& data);

}  // namespace transformer

#pragma once

#include <torch/torch.h>

#include <vector>

#include "data/corpus.h"

namespace transformer {

/// Sentence pairs as the model takes them (Deviation D6), shorter rows filled up with the pad id.
struct Batch {
  torch::Tensor source;           // [B, S], each row ends with the end symbol
  torch::Tensor target_in;        // [B, T], begins with the begin symbol
  torch::Tensor target_out;       // [B, T], the same shifted by one: ends with the end symbol
  int64_t num_target_tokens = 0;  // of target_out, padding not counted

  Batch to(torch::Device device) const;
};

Batch make_batch(const std::vector<SentencePair>& pairs);
/// Of the pairs with these numbers.
Batch make_batch(const Corpus& corpus, const std::vector<int64_t>& pairs);

/// Rows of ids, each followed by the end symbol and then padding: [B, longest + 1].
torch::Tensor source_tensor(const std::vector<std::vector<int32_t>>& rows);

}  // namespace transformer

#pragma once

#include <torch/torch.h>

#include <vector>

#include "data/corpus.h"
#include "ops/packing.h"

namespace transformer {

/// Sentence pairs as the model takes them (Deviation D6).
struct Batch {
  Sentences source;          // each ends with the end symbol
  Sentences target_in;       // each begins with the begin symbol
  torch::Tensor target_out;  // [target positions], the same shifted by one: each ends with the end symbol

  int64_t num_target_tokens() const { return target_out.size(0); }
  Batch to(torch::Device device) const;
};

Batch make_batch(const std::vector<SentencePair>& pairs);
/// Of the pairs with these numbers.
Batch make_batch(const Corpus& corpus, const std::vector<int64_t>& pairs);

/// Sources from their pieces, each followed by the end symbol.
Sentences make_sources(const std::vector<std::vector<int32_t>>& sentences);

}  // namespace transformer

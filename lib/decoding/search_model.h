#pragma once

#include <torch/types.h>

#include <vector>

#include "model/decoder_state.h"
#include "text/special_tokens.h"

namespace transformer {

/// A source sentence that joins a search.
struct SearchSource {
  int64_t sentence_id;
  const std::vector<TokenId>* pieces;  // without the end symbol
};

/// The model as beam search and sampling see it.
class SearchModel {
 public:
  virtual ~SearchModel() = default;

  /// Adds sentences to the search from the next step on.
  virtual void begin(const std::vector<SearchSource>& sentences) = 0;

  /// Advances all live hypotheses by one token and returns the logits of the next one, [rows, vocab]: fp32, or on a
  /// GPU bf16 or fp16. A sentence without a row has ended.
  virtual torch::Tensor step(const std::vector<StepRow>& rows) = 0;
};

}  // namespace transformer

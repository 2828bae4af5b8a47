#pragma once

#include <torch/types.h>

#include <vector>

#include "model/decoder_state.h"

namespace transformer {

/// The model as beam search and sampling see it.
class SearchModel {
 public:
  virtual ~SearchModel() = default;

  /// Adds sentences to the search from the next step on. An id is the index of a sentence among those that the model
  /// was made for.
  virtual void begin(const std::vector<int64_t>& sentence_ids) = 0;

  /// Advances all live hypotheses by one token and returns the logits of the next one, [rows, vocab]: fp32, or on a
  /// GPU bf16 or fp16. A sentence without a row has ended.
  virtual torch::Tensor step(const std::vector<StepRow>& rows) = 0;
};

}  // namespace transformer

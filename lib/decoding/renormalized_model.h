#pragma once

#include <torch/types.h>

#include <utility>
#include <vector>

#include "decoding/search_model.h"

namespace transformer {

/// A model without some of its tokens (`decoding.renormalize`): their probability is 0, and those of the others, whose
/// ratios stay the same, sum to 1.
class RenormalizedModel : public SearchModel {
 public:
  /// `removed`: int64 [tokens], on the device of the logits. `model` must live as long as this object.
  RenormalizedModel(SearchModel& model, torch::Tensor removed) : model_(model), removed_(std::move(removed)) {}

  void begin(const std::vector<SearchSource>& sentences) override { model_.begin(sentences); }
  torch::Tensor step(const std::vector<StepRow>& rows) override;

 private:
  SearchModel& model_;
  torch::Tensor removed_;
};

}  // namespace transformer

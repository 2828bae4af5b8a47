#pragma once

#include <memory>
#include <vector>

#include "decoding/search_model.h"

namespace transformer {

/// Several models as one: averages their probabilities.
class Ensemble : public SearchModel {
 public:
  /// At least one model. All must have the same vocabulary.
  explicit Ensemble(std::vector<std::unique_ptr<SearchModel>> models) : models_(std::move(models)) {}

  void begin(const std::vector<SearchSource>& sentences) override;
  torch::Tensor step(const std::vector<StepRow>& rows) override;

 private:
  std::vector<std::unique_ptr<SearchModel>> models_;
};

}  // namespace transformer

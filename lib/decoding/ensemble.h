#pragma once

#include <memory>
#include <vector>

#include "decoding/search_model.h"

namespace transformer {

/// Several models as one: the mean of their probabilities.
class Ensemble : public SearchModel {
 public:
  /// One at least, all of the same vocabulary and started with the same sentences.
  explicit Ensemble(std::vector<std::unique_ptr<SearchModel>> models) : models_(std::move(models)) {}

  torch::Tensor next_log_probs(const torch::Tensor& tokens) override;
  void keep(const torch::Tensor& sentences, const torch::Tensor& rows) override;

 private:
  std::vector<std::unique_ptr<SearchModel>> models_;
};

}  // namespace transformer

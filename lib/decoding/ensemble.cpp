#include "decoding/ensemble.h"

namespace transformer {

void Ensemble::begin(const std::vector<SearchSource>& sentences) {
  for (const auto& model : models_) model->begin(sentences);
}

/// The log of the sum of the probabilities, which is the log of their mean up to a constant.
torch::Tensor Ensemble::step(const std::vector<StepRow>& rows) {
  if (models_.size() == 1) return models_[0]->step(rows);
  std::vector<torch::Tensor> log_probs;
  for (const auto& model : models_) log_probs.push_back(torch::log_softmax(model->step(rows), 1, torch::kFloat));
  return torch::logsumexp(torch::stack(log_probs), 0);
}

}  // namespace transformer

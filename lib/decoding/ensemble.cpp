#include "decoding/ensemble.h"

#include <cmath>

namespace transformer {

/// log (1/n sum_i P_i)
torch::Tensor Ensemble::next_log_probs(const torch::Tensor& tokens) {
  if (models_.size() == 1) return models_[0]->next_log_probs(tokens);
  std::vector<torch::Tensor> log_probs;
  for (const auto& model : models_) log_probs.push_back(model->next_log_probs(tokens));
  return torch::logsumexp(torch::stack(log_probs), 0) - std::log(static_cast<double>(models_.size()));
}

void Ensemble::keep(const torch::Tensor& sentences, const torch::Tensor& rows) {
  for (const auto& model : models_) model->keep(sentences, rows);
}

}  // namespace transformer

#include "model/init.h"

#include <cmath>

namespace transformer {
namespace {

bool ends_with(const std::string& name, const std::string& end) {
  return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

void initialize(Transformer& model, int64_t seed) {
  torch::NoGradGuard no_grad;
  torch::manual_seed(static_cast<uint64_t>(seed));
  const double embedding_deviation = 1.0 / std::sqrt(static_cast<double>(model->config().d_model));
  for (auto& named : model->named_parameters()) {
    const std::string& name = named.key();
    torch::Tensor& parameter = named.value();
    if (name == "embedding.weight" || ends_with(name, "_positions.weight")) {
      torch::nn::init::normal_(parameter, 0.0, embedding_deviation);
    } else if (ends_with(name, ".bias")) {
      torch::nn::init::zeros_(parameter);
    } else if (ends_with(name, ".norm.weight")) {
      torch::nn::init::ones_(parameter);
    } else {
      torch::nn::init::xavier_uniform_(parameter);
    }
  }
}

}  // namespace transformer

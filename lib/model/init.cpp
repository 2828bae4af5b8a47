#include "model/init.h"

#include <torch/nn/init.h>

#include <cmath>

namespace transformer {

void initialize(Transformer& model, int64_t seed) {
  torch::NoGradGuard no_grad;
  torch::manual_seed(static_cast<uint64_t>(seed));
  const double embedding_deviation = 1.0 / std::sqrt(static_cast<double>(model->config().d_model));
  for (auto& named : model->named_parameters()) {
    const std::string& name = named.key();
    torch::Tensor& parameter = named.value();
    // An output projection of its own begins as a tied one does, so that the first logits have the same variance.
    if (name.ends_with("embedding.weight") || name == "output_projection.weight" ||
        name.ends_with("_positions.weight")) {
      torch::nn::init::normal_(parameter, 0.0, embedding_deviation);
    } else if (name.ends_with(".bias")) {
      torch::nn::init::zeros_(parameter);
    } else if (name.ends_with("norm.weight")) {
      torch::nn::init::ones_(parameter);
    } else {
      torch::nn::init::xavier_uniform_(parameter);
    }
  }
}

Transformer new_model(const ModelConfig& config, const VocabularySizes& vocabularies, int64_t seed,
                      torch::Device device) {
  Transformer model(config, vocabularies);
  initialize(model, seed);
  model->to(device);
  return model;
}

}  // namespace transformer

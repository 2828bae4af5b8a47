#pragma once

#include "model/transformer.h"

namespace transformer {

/// Sets every parameter (the paper is silent: Deviation D1): the embeddings, the output projection and learned
/// positions from a normal distribution with mean 0 and standard deviation d_model^-0.5, other matrices Glorot-uniform,
/// biases 0, norms the identity.
void initialize(Transformer& model, int64_t seed);

/// An initialized model for training, on the device.
Transformer new_model(const ModelConfig& config, const VocabularySizes& vocabularies, int64_t seed,
                      torch::Device device);

}  // namespace transformer

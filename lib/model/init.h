#pragma once

#include "model/transformer.h"

namespace transformer {

/// Sets every parameter (the paper is silent: Deviation D1): the embedding and learned positions from
/// N(0, d_model^-0.5 as standard deviation), other matrices Glorot-uniform, biases 0, norms the identity.
void initialize(Transformer& model, int64_t seed);

}  // namespace transformer

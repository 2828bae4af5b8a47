#pragma once

#include "model/init.h"
#include "model/transformer.h"

namespace transformer {

/// A network small enough to look at.
inline ModelConfig tiny_config() {
  ModelConfig config;
  config.N = 2;
  config.d_model = 16;
  config.d_ff = 32;
  config.h = 4;
  return config;
}

inline Transformer tiny_model(const ModelConfig& config, int64_t vocabulary_size = 20) {
  Transformer model(config, vocabulary_size);
  initialize(model, 1);
  model->eval();
  return model;
}

}  // namespace transformer

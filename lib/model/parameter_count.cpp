#include "model/parameter_count.h"

namespace transformer {

int64_t num_parameters(const ModelConfig& c, int64_t vocabulary_size) {
  const int64_t embedding = vocabulary_size * c.d_model;
  const int64_t positions = c.position == Position::learned ? 2 * c.max_positions.value() * c.d_model : 0;
  const int64_t attention = 2 * c.d_model * c.h * (c.key_size() + c.value_size());  // W^Q, W^K; W^V, W^O
  const int64_t network = 2 * c.d_model * c.d_ff + c.d_ff + c.d_model;              // with biases
  const int64_t norm = 2 * c.d_model;
  const int64_t encoder_layer = attention + network + 2 * norm;
  const int64_t decoder_layer = 2 * attention + network + 3 * norm;
  return embedding + positions + c.N * (encoder_layer + decoder_layer);
}

}  // namespace transformer

#include "model/model_cost.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <numeric>

namespace transformer {
namespace {

constexpr int64_t kFloatBytes = 4;  // fp32

// Widths of all heads together.
int64_t key_width(const ModelConfig& c) { return c.h * c.key_size(); }
int64_t value_width(const ModelConfig& c) { return c.h * c.value_size(); }

int64_t num_layers(const ModelConfig& c, Side side) { return side == Side::source ? c.N : c.num_decoder_layers(); }
int64_t num_attentions(const ModelConfig& c) { return c.N + 2 * c.num_decoder_layers(); }
int64_t num_sublayers(const ModelConfig& c) { return 2 * c.N + 3 * c.num_decoder_layers(); }
int64_t num_layer_norms(const ModelConfig& c) { return num_sublayers(c) + (c.has_final_norm() ? 2 : 0); }

/// Appends multi-head attention (§3.2.2); keys and values are computed from the `memory` side.
void add_attention(std::vector<LinearLayer>& layers, const ModelConfig& c, Side queries, Side memory) {
  const int64_t keys = key_width(c), values = value_width(c), count = num_layers(c, queries);
  layers.insert(layers.end(), {{"w_q", queries, c.d_model, keys, count, c.attention_bias, /*saved=*/keys},
                               {"w_k", memory, c.d_model, keys, count, c.attention_bias, /*saved=*/keys},
                               {"w_v", memory, c.d_model, values, count, c.attention_bias, /*saved=*/values},
                               {"w_o", queries, values, c.d_model, count, c.attention_bias, /*saved=*/values}});
}

/// Appends the feed-forward network (§3.3). Other activations than ReLU save their input, too.
void add_feed_forward(std::vector<LinearLayer>& layers, const ModelConfig& c, Side side) {
  const int64_t saved = c.activation == Activation::relu ? c.d_ff : 2 * c.d_ff, count = num_layers(c, side);
  layers.insert(layers.end(), {{"w_1", side, c.d_model, c.d_ff, count, /*has_bias=*/true, saved},
                               {"w_2", side, c.d_ff, c.d_model, count, /*has_bias=*/true, /*saved=*/0}});
}

}  // namespace

std::vector<LinearLayer> linear_layers(const ModelConfig& config) {
  std::vector<LinearLayer> layers;
  add_attention(layers, config, Side::source, Side::source);
  add_feed_forward(layers, config, Side::source);
  add_attention(layers, config, Side::target, Side::target);
  add_attention(layers, config, Side::target, Side::source);
  add_feed_forward(layers, config, Side::target);
  return layers;
}

int64_t saturated(double number) {
  static constexpr double kMax = 9e18;
  return static_cast<int64_t>(std::min(number, kMax));
}

int64_t num_parameters(const ModelConfig& c, const VocabularySizes& vocabularies) {
  // In double, which is exact up to 2^53; see `saturated`.
  const auto d_model = static_cast<double>(c.d_model);
  const double embedding = static_cast<double>(EmbeddingMatrices(c, vocabularies).num_rows()) * d_model +
                           (c.output_bias ? static_cast<double>(vocabularies.target()) : 0);
  const double positions =
      c.position == Position::learned ? 2 * static_cast<double>(c.max_positions.value()) * d_model : 0;
  const double norms = static_cast<double>(num_layer_norms(c) + (c.embedding_layer_norm ? 2 : 0)) * 2 * d_model;
  double parameters = embedding + positions + norms;
  for (const LinearLayer& layer : linear_layers(c)) {
    parameters += static_cast<double>(layer.count) * static_cast<double>(layer.inputs + (layer.has_bias ? 1 : 0)) *
                  static_cast<double>(layer.outputs);
  }
  return saturated(parameters);
}

double forward_flops(const ModelConfig& c, VocabularySizes vocabularies, int64_t S, int64_t T) {
  // Positions that a query of restricted self-attention sees, on one side of its own or on both.
  const auto visible = [&](int64_t length, int64_t sides) {
    return c.reach() ? std::min(length, sides * *c.reach() + 1) : length;
  };
  const int64_t encoder_scores = S * visible(S, 2), decoder_scores = T * visible(T, 1) + T * S;
  const auto product = [](std::initializer_list<int64_t> factors) {  // in double, as in num_parameters
    return std::accumulate(factors.begin(), factors.end(), 1.0, std::multiplies<>());
  };
  double multiplications = product({c.N, encoder_scores, key_width(c) + value_width(c)}) +
                           product({c.num_decoder_layers(), decoder_scores, key_width(c) + value_width(c)});
  for (const LinearLayer& layer : linear_layers(c)) {
    multiplications += product({layer.count, layer.side == Side::source ? S : T, layer.inputs, layer.outputs});
  }
  multiplications += product({T, c.d_model, vocabularies.target()});  // the output projection
  return 2 * multiplications;
}

double training_flops_per_token(const ModelConfig& config, VocabularySizes vocabularies) {
  return 3 * forward_flops(config, vocabularies, kTypicalTokens, kTypicalTokens) / kTypicalTokens;
}

double training_flops(const ModelConfig& config, VocabularySizes vocabularies, int64_t batch_tokens, int64_t steps) {
  return training_flops_per_token(config, vocabularies) * static_cast<double>(batch_tokens) *
         static_cast<double>(steps);
}

double training_flops_by_time(double seconds, double devices, double sustained_flops) {
  return seconds * devices * sustained_flops;
}

int64_t activation_bytes(const ModelConfig& c, Precision precision, bool kernels, bool is_gpu) {
  // In double, as in num_parameters.
  const double number_bytes = precision == Precision::bf16 ? 2 : kFloatBytes;  // of each number in a matrix product
  const double d_model = static_cast<double>(c.d_model), residual = kFloatBytes * d_model;  // between sub-layers: fp32
  double bytes = num_sublayers(c) * residual;                                               // their outputs
  for (const LinearLayer& layer : linear_layers(c)) {
    bytes += number_bytes * static_cast<double>(layer.count) * static_cast<double>(layer.saved);
  }
  if (precision == Precision::bf16) {
    // The results of products on a CPU are in fp32, and attention keeps its inputs as they are.
    const auto attention_inputs = static_cast<double>(2 * key_width(c) + value_width(c));
    if (kernels && !is_gpu) bytes += number_bytes * num_attentions(c) * attention_inputs;
    // Cross-attention has two: the decoder's and the encoder's.
    const int64_t inputs = num_sublayers(c) + c.num_decoder_layers();
    bytes += inputs * number_bytes * d_model;  // cast to bf16
  }
  if (!kernels) {
    // LibTorch's operations also save each attention's padded result, and each sum before its normalization.
    bytes += num_attentions(c) * number_bytes * value_width(c) + num_sublayers(c) * residual;
  }
  if (c.layer_norm == NormOrder::pre) bytes += num_layer_norms(c) * residual;  // the sums, which pre-norm also saves
  // At most, on each side: the token's embedding, its sum with the position, its LayerNorm, and the result of dropout.
  const double embeddings = 2 * (c.embedding_layer_norm ? 4 : 3) * residual;
  return saturated(bytes + embeddings);
}

}  // namespace transformer

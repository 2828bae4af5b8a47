#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/embedding_matrices.h"
#include "model/model_config.h"
#include "ops/precision.h"

namespace transformer {

// What a model of a given shape costs, computed from the list of its linear layers without building it.

enum class Side { source, target };

/// A linear layer y = W x (+ b), which the network computes at every position of one side.
struct LinearLayer {
  std::string_view name;  // as registered in its module: "w_q" for W^Q
  Side side;
  int64_t inputs, outputs;
  int64_t count;  // encoder or decoder layers that have one
  bool has_bias = false;
  /// Numbers that the backward pass needs of each position besides the inputs and outputs of sub-layers: queries, keys,
  /// values, the attention's result (for W^O), and the inner layer of the feed-forward network (for W_1).
  int64_t saved = 0;
};

/// The linear layers of encoder and decoder (§3.1-§3.3), without the output projection.
std::vector<LinearLayer> linear_layers(const ModelConfig& config);

/// A count or a number of bytes, rounded down, at most 9e18: the sizes in a config may have a product that overflows.
int64_t saturated(double number);

/// The number of parameters, saturated. A matrix that several of embeddings and output projection share counts once.
/// Throws Error as EmbeddingMatrices does.
int64_t num_parameters(const ModelConfig& config, const VocabularySizes& vocabularies);

/// Floating-point operations of the matrix products in one forward pass over a pair of S source and T target tokens; a
/// multiplication and an addition count as two. Training takes three times as many: the backward pass takes two.
double forward_flops(const ModelConfig& config, VocabularySizes vocabularies, int64_t S, int64_t T);

/// The tokens on each side of an average training pair of WMT14, as assumed for counting floating-point operations: 28
/// pieces and the end symbol. The synthetic corpus of the benchmarks (data/synthetic_corpus.h) has one piece fewer.
inline constexpr int64_t kTypicalTokens = 29;

/// Floating-point operations of training for one target token of such a pair, its share of the source included.
double training_flops_per_token(const ModelConfig& config, VocabularySizes vocabularies);

/// Floating-point operations of `steps` training steps of `batch_tokens` target tokens each.
double training_flops(const ModelConfig& config, VocabularySizes vocabularies, int64_t batch_tokens, int64_t steps);

/// The paper's estimate of a training's floating-point operations (§6.1, Table 2): the time times the number of devices
/// times the operations per second that each sustains.
double training_flops_by_time(double seconds, double devices, double sustained_flops);

/// Bytes that training keeps between the forward and the backward pass for one source token and one target token, with
/// this program's kernels (`kernels`) or with LibTorch's operations alone.
int64_t activation_bytes(const ModelConfig& config, Precision precision, bool kernels, bool is_gpu = false);

}  // namespace transformer

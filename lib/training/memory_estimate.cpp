#include "training/memory_estimate.h"

#include <algorithm>

#include "model/parameter_count.h"

namespace transformer {
namespace {

constexpr int64_t kFull = 4;  // bytes of fp32

/// What restricted attention keeps beyond full attention for a token: the queries in chunks, spans of keys and values
/// of up to three chunks, and the mask of the chunk's span, as it is made and as the kernel takes it.
int64_t restricted_attention_bytes(const ModelConfig& c, int64_t product) {
  static constexpr int64_t kShortestChunk = 64;
  const int64_t keys = c.h * c.key_size(), values = c.h * c.value_size();
  const int64_t span = 3 * std::max(kShortestChunk, c.reach());
  return product * (keys + 3 * (keys + values)) + (1 + product) * span;
}

/// What autograd keeps for a token of attention and of the feed-forward network, with the sum and norm that follow.
struct SublayerBytes {
  int64_t attention, network;
};

/// With the kernels: attention keeps q, k, v and the heads' output, the network its inner layer, both their output; in
/// bf16 also the cast of their input.
SublayerBytes fused_sublayers(const ModelConfig& c, int64_t product, int64_t cast) {
  const int64_t keys = c.h * c.key_size(), values = c.h * c.value_size();
  return {product * 2 * (keys + values) + cast + kFull * c.d_model, product * c.d_ff + cast + kFull * c.d_model};
}

/// With LibTorch's operations also the heads' output before it is unpadded, and the sum that is normalised.
SublayerBytes plain_sublayers(const ModelConfig& c, int64_t product, int64_t cast) {
  const SublayerBytes fused = fused_sublayers(c, product, cast);
  return {fused.attention + product * c.h * c.value_size() + kFull * c.d_model, fused.network + kFull * c.d_model};
}

}  // namespace

MemoryEstimate estimate_memory(const ModelConfig& c, Precision precision, int64_t vocabulary_size, bool fused_kernels,
                               int moment_sharers) {
  const int64_t product = precision == Precision::bf16 ? 2 : kFull;  // bytes of what a product takes and gives
  const int64_t cast = precision == Precision::bf16 ? product * c.d_model : 0;
  const auto [attention, network] = (fused_kernels ? fused_sublayers : plain_sublayers)(c, product, cast);
  const int64_t self_attention = attention + (c.r ? restricted_attention_bytes(c, product) : 0);
  const int64_t encoder = c.N * (self_attention + network);
  const int64_t decoder = c.N * (self_attention + attention + cast + network);  // of memory, too
  const int64_t embeddings = kFull * 6 * c.d_model;
  const int64_t parameters = num_parameters(c, vocabulary_size);
  const int64_t cast_parameters = precision == Precision::bf16 ? product * parameters : 0;
  // The output projection's gradient exists twice while its blocks are added up; a block is some million logits, twice.
  const int64_t projection = 2 * c.d_model * vocabulary_size + (int64_t{16} << 20);
  const int64_t moments = 2 * parameters / moment_sharers;
  return {.fixed = kFull * (2 * parameters + moments + projection) + cast_parameters,
          .per_token = encoder + decoder + embeddings};
}

int64_t fitted_device_tokens(const MemoryEstimate& estimate, int64_t memory, bool on_cpu, int64_t batch_tokens) {
  static constexpr int64_t kQuickOnCpu = 4096;  // beyond it a step is no faster and needs more memory
  static constexpr int64_t kLeast = 256;
  const int64_t usable = (on_cpu ? memory / 2 : memory * 8 / 10) - estimate.fixed;
  const int64_t fitting = std::max(kLeast, usable / estimate.per_token);
  return std::min({fitting, batch_tokens, on_cpu ? kQuickOnCpu : batch_tokens});
}

}  // namespace transformer

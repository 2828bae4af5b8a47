#include "training/memory_estimate.h"

#include <algorithm>

#include "model/parameter_count.h"

namespace transformer {

namespace {

/// What restricted attention keeps beyond full attention for a token: the queries in chunks, spans of keys and values
/// of up to three chunks, and the mask of the chunk's span, as it is made and as the kernel takes it.
int64_t restricted_attention_bytes(const ModelConfig& c, int64_t product) {
  static constexpr int64_t kShortestChunk = 64;
  const int64_t keys = c.h * c.key_size(), values = c.h * c.value_size();
  const int64_t span = 3 * std::max(kShortestChunk, c.reach());
  return product * (keys + 3 * (keys + values)) + (1 + product) * span;
}

}  // namespace

MemoryEstimate estimate_memory(const ModelConfig& c, Precision precision, int64_t vocabulary_size, int moment_sharers) {
  static constexpr int64_t kFull = 4;
  const int64_t product = precision == Precision::bf16 ? 2 : kFull;  // bytes of what a product takes and gives
  // What autograd saves for a token of one layer, tensor by tensor: attention keeps its input, q, k, v, the heads'
  // output twice, its projection, the dropped copy and the normalised sum; the network keeps its inner layer twice.
  const int64_t keys = c.h * c.key_size(), values = c.h * c.value_size();
  // In bf16 each product keeps its own cast of its input (three in attention, one in the network), and the residual sum
  // makes an fp32 copy of what it adds.
  const int64_t casts = precision == Precision::bf16 ? product * c.d_model : 0;
  const int64_t copy = precision == Precision::bf16 ? kFull * c.d_model : 0;
  const int64_t attention =
      product * (2 * keys + 3 * values + 2 * c.d_model) + 3 * casts + kFull * 2 * c.d_model + copy;
  const int64_t network = product * (2 * c.d_ff + 2 * c.d_model) + casts + kFull * 2 * c.d_model + copy;
  const int64_t self_attention = attention + (c.r ? restricted_attention_bytes(c, product) : 0);
  const int64_t encoder = c.N * (self_attention + network), decoder = c.N * (self_attention + attention + network);
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

#pragma once

#include <torch/types.h>

#include <optional>

#include "ops/packed_sequence.h"

namespace transformer {

/// Which keys a query may attend to within its sequence (§3.2.3): all of them unless restricted here.
struct AttentionMask {
  bool causal = false;           // query i sees the keys 0 ... i
  std::optional<int64_t> reach;  // query i sees the keys i - reach ... i + reach only (§4, Table 1)

  /// Query i sees the keys i - window_left() ... i + window_right(); nullopt: no limit.
  std::optional<int64_t> window_left() const { return reach; }
  std::optional<int64_t> window_right() const { return causal ? 0 : reach; }
};

/// Eq. 1 (§3.2.1) within each sequence of a batch, for all heads: softmax(Q K^T / sqrt(d_k)) V, with dropout on the
/// weights. query [query positions, h, d_k]; key [key positions, h, d_k]; value [key positions, h, d_v]; key and value
/// have the same packing, the query's has as many sequences. Returns [query positions, h, d_v].
///
/// The CPU kernel and, on a GPU without dropout, LibTorch's kernels for packed sequences (unpadded_attention.h) neither
/// pad the sequences nor store the weights. Otherwise sequences are padded, the weights may be stored, and the
/// scores of hidden keys are computed, too, and then masked.
PackedSequence scaled_dot_product_attention(const PackedSequence& query, const PackedSequence& key,
                                            const PackedSequence& value, const AttentionMask& mask, double dropout);

/// The weights of Eq. 1: softmax(Q K^T / sqrt(d_k)), [B, h, longest query, longest key], zero for hidden keys and for
/// keys that are padding; the rows of queries that are padding have no meaning. The arguments are those
/// of scaled_dot_product_attention.
torch::Tensor attention_weights(const PackedSequence& query, const PackedSequence& key, const AttentionMask& mask);

}  // namespace transformer

#pragma once

#include <torch/nn/module.h>

#include <mutex>

#include "model/model_config.h"

namespace transformer {

/// §3.5: PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos(the same angle), or what `sinusoids` says.
/// Returns [num_positions, d_model], of which the first row is that of `first_position`.
torch::Tensor positional_encoding_table(int64_t num_positions, const ModelConfig& config);

/// Adds a vector for each position: the sinusoidal table of §3.5, for any length, or learned vectors (Table 3, row E;
/// Deviation D13).
class PositionalEncodingImpl : public torch::nn::Module {
 public:
  explicit PositionalEncodingImpl(const ModelConfig& config);

  /// Adds the vectors of the positions position_ids [rows], all below num_positions, to x [rows, d_model]. There may
  /// not be more of them than learned positions.
  torch::Tensor at(const torch::Tensor& x, const torch::Tensor& position_ids, int64_t num_positions);
  /// The vectors of at least num_positions positions: [n, d_model] with n >= num_positions, in the data type and on the
  /// device of x.
  torch::Tensor table(int64_t num_positions, const torch::Tensor& x);

 private:
  const ModelConfig config_;
  std::mutex mutex_;     // concurrent searches share the table
  torch::Tensor table_;  // [rows so far, d_model]; a parameter if learned
};
TORCH_MODULE(PositionalEncoding);

}  // namespace transformer

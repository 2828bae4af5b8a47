#pragma once

#include <torch/torch.h>

#include <mutex>

#include "model/model_config.h"
#include "ops/packing.h"

namespace transformer {

/// §3.5: PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos(the same angle).
/// Returns [num_positions, d_model].
torch::Tensor positional_encoding_table(int64_t num_positions, int64_t d_model);

/// Adds each position's vector: the table of §3.5, of any length, or learned ones (Table 3, row E; Deviation D13).
class PositionalEncodingImpl : public torch::nn::Module {
 public:
  explicit PositionalEncodingImpl(const ModelConfig& config);

  /// x [positions, d_model]. Returns the same shape. Throws Error where learned positions end before a sentence does.
  torch::Tensor forward(const torch::Tensor& x, const Packing& packing);
  /// x [rows, d_model], each at its place [rows] of a sentence of at most `longest`. Returns the same
  /// shape.
  torch::Tensor at(const torch::Tensor& x, const torch::Tensor& places, int64_t longest);

 private:
  /// A table of at least `end` rows, like x.
  torch::Tensor table(int64_t end, const torch::Tensor& x);

  Position position_;
  std::mutex mutex_;     // searches beside each other share the table
  torch::Tensor table_;  // [positions so far, d_model]; a parameter where learned
};
TORCH_MODULE(PositionalEncoding);

}  // namespace transformer

#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/normalization.h>

#include "model/model_config.h"
#include "ops/packed_sequence.h"

namespace transformer {

inline constexpr double kNormEpsilon = 1e-6;  // Deviation D1

/// "Add & Norm" of Figure 1, around every sub-layer: LayerNorm(x + Dropout(Sublayer(x))) (§3.1, §5.4, Deviation D12).
class AddNormImpl : public torch::nn::Module {
 public:
  explicit AddNormImpl(const ModelConfig& config);

  /// x, output = Sublayer(x) [positions, d_model]. Returns [positions, d_model].
  PackedSequence forward(const PackedSequence& x, const PackedSequence& output);

 private:
  torch::nn::LayerNorm norm_;
  double P_drop_;
};
TORCH_MODULE(AddNorm);

}  // namespace transformer

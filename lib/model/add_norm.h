#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/normalization.h>

#include <functional>

#include "model/model_config.h"
#include "ops/packed_sequence.h"

namespace transformer {

/// LayerNorm over d_model channels, with the epsilon of Deviation D1 or that of the model's program.
torch::nn::LayerNorm make_layer_norm(const ModelConfig& config);

/// "Add & Norm" of Figure 1, around every sub-layer: LayerNorm(x + Dropout(Sublayer(x))) (§3.1, §5.4, Deviation D12),
/// or with `layer_norm: pre` x + Dropout(Sublayer(LayerNorm(x))).
class AddNormImpl : public torch::nn::Module {
 public:
  explicit AddNormImpl(const ModelConfig& config);

  using Sublayer = std::function<PackedSequence(const PackedSequence& input)>;

  /// x and what the sub-layer takes and returns: [positions, d_model]. Returns the same shape.
  PackedSequence forward(const PackedSequence& x, const Sublayer& sublayer);

 private:
  torch::nn::LayerNorm norm_;
  NormOrder order_;
  double P_drop_;
};
TORCH_MODULE(AddNorm);

}  // namespace transformer

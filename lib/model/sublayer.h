#pragma once

#include <torch/torch.h>

#include "model/model_config.h"
#include "ops/packing.h"

namespace transformer {

inline constexpr double kNormEpsilon = 1e-6;  // Deviation D1

/// What surrounds every sub-layer: LayerNorm(x + Dropout(Sublayer(x))) (§3.1, §5.4, Deviation D12).
class SublayerImpl : public torch::nn::Module {
 public:
  explicit SublayerImpl(const ModelConfig& config);

  /// x, output = Sublayer(x) [positions, d_model]. Returns [positions, d_model].
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& output, const Packing& packing);

 private:
  torch::nn::LayerNorm norm_;
  double P_drop_;
};
TORCH_MODULE(Sublayer);

}  // namespace transformer

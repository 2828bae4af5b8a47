#include "model/sublayer.h"

#include "ops/residual_norm.h"

namespace transformer {

SublayerImpl::SublayerImpl(const ModelConfig& config)
    : norm_(register_module("norm",
                            torch::nn::LayerNorm(torch::nn::LayerNormOptions({config.d_model}).eps(kNormEpsilon)))),
      P_drop_(config.P_drop) {}

torch::Tensor SublayerImpl::forward(const torch::Tensor& x, const torch::Tensor& output, const Packing& packing) {
  return residual_norm(x, output, packing, is_training() ? P_drop_ : 0.0, norm_->weight, norm_->bias, kNormEpsilon);
}

}  // namespace transformer

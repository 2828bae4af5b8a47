#include "model/sublayer.h"

#include "ops/dropout.h"

namespace transformer {

static constexpr double kNormEpsilon = 1e-6;  // Deviation D1

SublayerImpl::SublayerImpl(const ModelConfig& config)
    : norm_(register_module("norm",
                            torch::nn::LayerNorm(torch::nn::LayerNormOptions({config.d_model}).eps(kNormEpsilon)))),
      P_drop_(config.P_drop) {}

torch::Tensor SublayerImpl::forward(const torch::Tensor& x, const torch::Tensor& output) {
  return norm_(x + counter_dropout(output, P_drop_, is_training()));
}

}  // namespace transformer

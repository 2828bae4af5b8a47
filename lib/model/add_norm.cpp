#include "model/add_norm.h"

#include "ops/add_norm.h"

namespace transformer {

AddNormImpl::AddNormImpl(const ModelConfig& config)
    : norm_(register_module("norm",
                            torch::nn::LayerNorm(torch::nn::LayerNormOptions({config.d_model}).eps(kNormEpsilon)))),
      P_drop_(config.P_drop) {}

PackedSequence AddNormImpl::forward(const PackedSequence& x, const PackedSequence& output) {
  return add_norm(x, output, is_training() ? P_drop_ : 0.0, norm_->weight, norm_->bias, kNormEpsilon);
}

}  // namespace transformer

#include "model/add_norm.h"

#include "ops/add_norm.h"
#include "ops/dropout.h"

namespace transformer {

torch::nn::LayerNorm make_layer_norm(const ModelConfig& config) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({config.d_model}).eps(config.layer_norm_epsilon));
}

AddNormImpl::AddNormImpl(const ModelConfig& config)
    : norm_(register_module("norm", make_layer_norm(config))), order_(config.layer_norm), P_drop_(config.P_drop) {}

PackedSequence AddNormImpl::forward(const PackedSequence& x, const Sublayer& sublayer) {
  const double p = is_training() ? P_drop_ : 0.0;
  if (order_ == NormOrder::post) {
    return add_norm(x, sublayer(x), p, norm_->weight, norm_->bias, norm_->options.eps());
  }
  const PackedSequence output = sublayer(x.with_data(norm_(x.data)));
  return x.with_data(x.data + dropout(output, p).data);
}

}  // namespace transformer

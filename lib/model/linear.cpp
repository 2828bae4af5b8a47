#include "model/linear.h"

namespace transformer {

LinearImpl::LinearImpl(int64_t in, int64_t out, bool has_bias)
    : weight_(register_parameter("weight", torch::empty({out, in}))) {
  if (has_bias) bias_ = register_parameter("bias", torch::empty({out}));
}

torch::Tensor LinearImpl::forward(const torch::Tensor& x) {
  return packed_ ? packed_->multiply(x) : torch::linear(x, weight_, bias_);
}

void LinearImpl::pack(WeightType type) {
  packed_ = pack_weight(weight_, bias_, type);
  for (const char* name : {"weight", "bias"}) {
    if (auto* parameter = parameters_.find(name)) *parameter = torch::Tensor();
  }
  weight_ = bias_ = torch::Tensor();
}

}  // namespace transformer

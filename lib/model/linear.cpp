#include "model/linear.h"

#include <utility>

namespace transformer {

LinearImpl::LinearImpl(int64_t in, int64_t out, bool has_bias)
    : weight_(register_parameter("weight", torch::empty({out, in}))) {
  if (has_bias) bias_ = register_parameter("bias", torch::empty({out}));
}

torch::Tensor LinearImpl::forward(const torch::Tensor& x) {
  return packed_ ? packed_->multiply(x) : torch::linear(x, weight_, bias_);
}

void LinearImpl::pack(WeightType type) {
  const auto bias = std::exchange(bias_, {});
  if (bias.defined()) parameters_["bias"] = torch::Tensor();
  packed_ = pack_weight(take_weight(), bias, type);
}

torch::Tensor LinearImpl::take_weight() {
  parameters_["weight"] = torch::Tensor();
  return std::exchange(weight_, {}).detach();
}

}  // namespace transformer

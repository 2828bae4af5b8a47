#include "training/moving_average.h"

#include <algorithm>

namespace transformer {

MovingAverage::MovingAverage(const torch::nn::Module& module, double decay) : decay_(decay) {
  for (const auto& named : module.named_parameters()) {
    names_.push_back(named.key());
    parameters_.push_back(named.value());
    average_.push_back(named.value().detach().clone());
  }
}

void MovingAverage::update(int64_t step) {
  torch::NoGradGuard no_grad;
  const auto n = static_cast<double>(step);
  torch::_foreach_lerp_(average_, parameters_, 1 - std::min(decay_, (1 + n) / (10 + n)));
}

void MovingAverage::exchange() {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const torch::Tensor current = parameters_[i].detach();
    parameters_[i].set_data(average_[i]);
    average_[i] = current;
  }
}

NamedTensors MovingAverage::state() const {
  NamedTensors state;
  for (size_t i = 0; i < names_.size(); ++i) {
    state.insert(names_[i], average_[i].to(torch::kCPU, /*non_blocking=*/false, /*copy=*/true));
  }
  return state;
}

void MovingAverage::set_state(const NamedTensors& state, const std::string& path) {
  torch::NoGradGuard no_grad;
  for (size_t i = 0; i < names_.size(); ++i) {
    average_[i].copy_(find_tensor(state, "moving average of the parameter", names_[i], average_[i].sizes(), path));
  }
}

}  // namespace transformer

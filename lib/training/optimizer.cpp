#include "training/optimizer.h"

#include "base/error.h"

namespace transformer {

Adam::Adam(const torch::nn::Module& module, const AdamOptions& options) : options_(options) {
  for (const auto& named : module.named_parameters()) {
    torch::Tensor parameter = named.value();
    parameter.mutable_grad() = torch::zeros_like(parameter);
    names_.push_back(named.key());
    parameters_.push_back(parameter);
    gradients_.push_back(parameter.grad());
    first_moments_.push_back(torch::zeros_like(parameter, torch::MemoryFormat::Contiguous).detach());
    second_moments_.push_back(torch::zeros_like(parameter, torch::MemoryFormat::Contiguous).detach());
    updates_.push_back(torch::zeros({}, parameter.options().dtype(torch::kFloat).requires_grad(false)));
  }
}

void Adam::step(double learning_rate) {
  torch::NoGradGuard no_grad;
  torch::_foreach_add_(updates_, 1);
  torch::_fused_adam_(parameters_, gradients_, first_moments_, second_moments_, /*max_exp_avg_sqs=*/{}, updates_,
                      learning_rate, options_.beta1, options_.beta2, /*weight_decay=*/0.0, options_.epsilon,
                      /*amsgrad=*/false, /*maximize=*/false);
}

void Adam::zero_grad() {
  torch::NoGradGuard no_grad;
  torch::_foreach_zero_(gradients_);
}

double Adam::gradient_norm() const {
  torch::NoGradGuard no_grad;
  return torch::stack(torch::_foreach_norm(gradients_)).to(torch::kDouble).norm().item<double>();
}

void Adam::scale_gradients(double factor) {
  torch::NoGradGuard no_grad;
  torch::_foreach_mul_(gradients_, factor);
}

NamedTensors Adam::state() const {
  NamedTensors state;
  for (size_t i = 0; i < names_.size(); ++i) {
    state.insert("first." + names_[i], first_moments_[i].to(torch::kCPU));
    state.insert("second." + names_[i], second_moments_[i].to(torch::kCPU));
  }
  state.insert("updates", updates_.at(0).to(torch::kCPU));
  return state;
}

void Adam::set_state(const NamedTensors& state, const std::string& path) {
  torch::NoGradGuard no_grad;
  const auto find = [&](const std::string& name, const torch::Tensor& like) {
    if (!state.contains(name) || state.at(name).sizes() != like.sizes()) {
      throw Error(path, ": the optimizer's '", name,
                  "' is missing or of another shape; it belongs to another architecture");
    }
    return state.at(name);
  };
  for (size_t i = 0; i < names_.size(); ++i) {
    first_moments_[i].copy_(find("first." + names_[i], first_moments_[i]));
    second_moments_[i].copy_(find("second." + names_[i], second_moments_[i]));
    updates_[i].copy_(find("updates", updates_[i]));
  }
}

}  // namespace transformer

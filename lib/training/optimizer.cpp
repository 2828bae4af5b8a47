#include "training/optimizer.h"

#include <ATen/record_function.h>

#include <algorithm>
#include <optional>

#include "training/tensor_parts.h"

namespace transformer {

AdamOptions adam_options(const TrainingConfig& config) {
  return {config.beta1, config.beta2, config.epsilon, config.weight_decay};
}

Adam::Adam(const torch::nn::Module& module, const AdamOptions& options, const ProcessGroup* shard_group,
           WorkerThreads* threads)
    : options_(options), shard_group_(shard_group), threads_(threads) {
  for (const auto& named : module.named_parameters()) {
    names_.push_back(named.key());
    parameters_.push_back(named.value());
  }
  divide_into_ranges();
  for (const auto& part : ranges_of(rank(), parameters_)) {
    first_moments_.push_back(torch::zeros_like(part).detach());
    second_moments_.push_back(torch::zeros_like(part).detach());
    num_updates_.push_back(torch::zeros({}, part.options().dtype(torch::kFloat).requires_grad(false)));
  }
}

/// Rank r of n updates the elements [T r / n, T (r + 1) / n) of all T, so a range ends where a parameter or a shard
/// ends.
void Adam::divide_into_ranges() {
  const int64_t ranks = shard_group_ == nullptr ? 1 : shard_group_->size();
  int64_t total = 0, first = 0;
  for (const auto& parameter : parameters_) total += parameter.numel();
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const int64_t last = first + parameters_[i].numel();
    for (int64_t rank = 0; rank < ranks; ++rank) {
      const int64_t begin = std::max(first, total * rank / ranks), end = std::min(last, total * (rank + 1) / ranks);
      if (begin < end) ranges_.push_back({i, begin - first, end - first, static_cast<int>(rank)});
    }
    first = last;
  }
}

int Adam::rank() const { return shard_group_ == nullptr ? 0 : shard_group_->rank(); }

std::vector<torch::Tensor> Adam::ranges_of(int rank, const std::vector<torch::Tensor>& tensors) const {
  torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> part;
  for (const auto& range : ranges_) {
    if (range.owner == rank) part.push_back(tensors[range.parameter].view(-1).slice(0, range.begin, range.end));
  }
  return part;
}

/// Looks them up each time, because the reducer of several ranks replaces them by views of its buckets.
std::vector<torch::Tensor> Adam::gradients() const {
  std::vector<torch::Tensor> gradients;
  for (const auto& parameter : parameters_) gradients.push_back(parameter.grad());
  return gradients;
}

void Adam::step(double learning_rate, const torch::Tensor& skip, const torch::Tensor& divisor) {
  torch::NoGradGuard no_grad;
  const auto taken = skip.defined() ? 1 - skip : torch::ones_like(num_updates_.at(0));
  torch::_foreach_add_(num_updates_, taken);
  const auto parameters = ranges_of(rank(), parameters_);
  const auto kept = (1 - learning_rate * options_.weight_decay * taken.to(torch::kDouble)).to(parameters.at(0));
  const auto if_defined = [](const torch::Tensor& x) { return x.defined() ? std::optional(x) : std::nullopt; };
  const auto divided = divide_tensors({parameters, ranges_of(rank(), gradients()), first_moments_, second_moments_});
  for_each(divided.size(), [&](size_t i) {
    RECORD_USER_SCOPE("optimizer");
    const auto& [parts, numbers] = divided[i];
    std::vector<torch::Tensor> num_updates;
    for (const size_t number : numbers) num_updates.push_back(num_updates_[number]);
    if (options_.weight_decay > 0) torch::_foreach_mul_(parts[0], kept);
    torch::_fused_adam_(parts[0], parts[1], parts[2], parts[3], /*max_exp_avg_sqs=*/{}, num_updates, learning_rate,
                        options_.beta1, options_.beta2, /*weight_decay=*/0.0, options_.epsilon, /*amsgrad=*/false,
                        /*maximize=*/false, /*grad_scale=*/if_defined(divisor), /*found_inf=*/if_defined(skip));
  });
  if (shard_group_ == nullptr) return;
  for (int owner = 0; owner < shard_group_->size(); ++owner) {
    shard_group_->broadcast(ranges_of(owner, parameters_), owner);
  }
}

void Adam::for_each(size_t count, const std::function<void(size_t i)>& work) const {
  if (threads_ != nullptr) {
    threads_->for_each(static_cast<int64_t>(count), [&](int /*worker*/, int64_t i) { work(static_cast<size_t>(i)); });
  } else {
    for (size_t i = 0; i < count; ++i) work(i);
  }
}

void Adam::zero_grad() {
  for (torch::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
}

torch::Tensor Adam::gradient_norm() const {
  torch::NoGradGuard no_grad;
  const auto divided = divide_tensors({gradients()});
  std::vector<torch::Tensor> norms(divided.size());
  for_each(divided.size(), [&](size_t i) {
    RECORD_USER_SCOPE("optimizer");
    norms[i] = torch::stack(torch::_foreach_norm(divided[i].parts[0])).to(torch::kDouble).norm();
  });
  return torch::stack(norms).norm();
}

torch::Tensor Adam::gather(const std::vector<torch::Tensor>& moments, size_t parameter) const {
  torch::NoGradGuard no_grad;
  if (shard_group_ == nullptr) {
    return moments[parameter]
        .view(parameters_[parameter].sizes())
        .to(torch::kCPU, /*non_blocking=*/false, /*copy=*/true);
  }
  auto all = torch::zeros_like(parameters_[parameter], torch::MemoryFormat::Contiguous);
  size_t own = 0;
  for (const auto& range : ranges_) {
    if (range.owner != rank()) continue;
    if (range.parameter == parameter) all.view(-1).slice(0, range.begin, range.end).copy_(moments[own]);
    ++own;
  }
  shard_group_->all_reduce(all);
  return rank() == 0 ? all.to(torch::kCPU) : torch::Tensor();
}

NamedTensors Adam::state() const {
  NamedTensors state;
  const auto insert = [&](const std::string& name, const torch::Tensor& moment) {
    if (rank() == 0) state.insert(name, moment);
  };
  for (size_t i = 0; i < names_.size(); ++i) {
    insert("first." + names_[i], gather(first_moments_, i));
    insert("second." + names_[i], gather(second_moments_, i));
  }
  insert("updates", num_updates_.at(0).to(torch::kCPU, /*non_blocking=*/false, /*copy=*/true));
  return state;
}

void Adam::set_state(const NamedTensors& state, const std::string& path) {
  torch::NoGradGuard no_grad;
  const auto find = [&](const std::string& name, torch::IntArrayRef sizes) {
    return find_tensor(state, "tensor of the optimizer's state", name, sizes, path).contiguous();
  };
  std::vector<torch::Tensor> first, second;
  for (size_t i = 0; i < names_.size(); ++i) {
    first.push_back(find("first." + names_[i], parameters_[i].sizes()));
    second.push_back(find("second." + names_[i], parameters_[i].sizes()));
  }
  const auto own_first = ranges_of(rank(), first), own_second = ranges_of(rank(), second);
  for (size_t own = 0; own < first_moments_.size(); ++own) {
    first_moments_[own].copy_(own_first[own]);
    second_moments_[own].copy_(own_second[own]);
    num_updates_[own].copy_(find("updates", {}));
  }
}

}  // namespace transformer

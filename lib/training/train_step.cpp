#include "training/train_step.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>

#include "base/splitmix64.h"
#include "data/batch_by_tokens.h"
#include "data/pair_length.h"
#include "data/shard.h"
#include "platform/out_of_memory.h"
#include "training/batch_loss.h"

namespace transformer {
namespace {

/// The losses of the micro-batches of all ranks, added up: loss and negative log-likelihood, [2] in fp64.
torch::Tensor sum_losses(const std::vector<LossSums>& losses, torch::Device device, const ProcessGroup& group) {
  auto total = torch::zeros({2}, torch::TensorOptions(torch::kDouble).device(device));
  for (const LossSums& sums : losses) total += torch::stack({sums.loss, sums.negative_log_likelihood});
  group.all_reduce(total);
  return total;
}

/// The forward and backward passes of the micro-batches, and the sum over the ranks.
void add_gradients(Replica& replica, int64_t num_micro_batches, const Workers::MicroBatchLoss& loss) {
  auto& parallel = replica.parallel;
  if (replica.workers.size() > 1) {
    replica.workers.add_gradients(num_micro_batches, loss);
    return parallel.sum_gradients();
  }
  for (int64_t i = 0; i < num_micro_batches; ++i) {
    parallel.backward(loss(replica.model, i), /*sum_gradients=*/i + 1 == num_micro_batches);
  }
  if (num_micro_batches == 0) parallel.sum_gradients();
}

/// Splits each micro-batch of several pairs into two.
std::vector<std::vector<int64_t>> halve(const std::vector<std::vector<int64_t>>& micro_batches) {
  std::vector<std::vector<int64_t>> halves;
  for (const auto& pairs : micro_batches) {
    const auto middle = pairs.begin() + std::ssize(pairs) / 2;
    if (middle != pairs.begin()) halves.emplace_back(pairs.begin(), middle);
    halves.emplace_back(middle, pairs.end());
  }
  return halves;
}

}  // namespace

StepBatch make_step_batch(const SentencePairs& corpus, const std::vector<int64_t>& pairs, int64_t device_tokens,
                          const ProcessGroup& group, int64_t multiple) {
  StepBatch batch;
  batch.pairs = pairs;
  const std::vector<PairLength> lengths = longest_first(corpus, pairs);
  for (const PairLength& pair : lengths) batch.target_tokens += pair.target_tokens;
  batch.micro_batches = batch_evenly(shard(lengths, group.rank(), group.size()), device_tokens, multiple);
  return batch;
}

LaunchedStep::LaunchedStep(const torch::Tensor& values, int64_t target_tokens)
    : values_(values), target_tokens_(target_tokens) {
  if (values.is_cpu()) return;
  values_ = torch::empty_like(values, torch::TensorOptions(torch::kCPU).pinned_memory(true));
  values_.copy_(values, /*non_blocking=*/true);
  copied_.emplace(values.device().type());
  copied_->record(c10::impl::VirtualGuardImpl(values.device().type()).getStream(values.device()));
}

StepResult LaunchedStep::wait(const ProcessGroup& group) const {
  if (copied_) {
    const CollectiveScope scope(group);  // the GPU sums gradients with other ranks
    copied_->synchronize();
  }
  const auto* values = values_.const_data_ptr<double>();
  const TokenLoss losses{.loss = values[0], .negative_log_likelihood = values[1], .target_tokens = target_tokens_};
  return {losses, /*skipped=*/values[2] != 0};
}

LaunchedStep train_step(Replica& replica, const SentencePairs& corpus, const StepBatch& batch,
                        const TrainingConfig& config, int64_t step, double learning_rate) {
  auto& [model, workers, optimizer, parallel, moving_average] = replica;
  const auto target_tokens = static_cast<double>(batch.target_tokens);
  const uint64_t dropout_seed = step_seed(static_cast<uint64_t>(config.seed), step);
  std::vector<LossSums> losses(batch.micro_batches.size());
  const auto micro_batch = [&](Transformer& network, int64_t i) {
    const auto& pairs = batch.micro_batches[static_cast<size_t>(i)];
    const LossSums sums = micro_batch_loss(network, corpus, pairs, config, dropout_seed);
    losses[static_cast<size_t>(i)] = {sums.loss.detach(), sums.negative_log_likelihood.detach()};
    replica.parallel.group().report_progress();
    return sums.loss / target_tokens;
  };

  parallel.begin_step(step);
  optimizer.zero_grad();
  add_gradients(replica, std::ssize(losses), micro_batch);
  const auto sums = sum_losses(losses, model->device(), parallel.group());
  const auto norm = optimizer.gradient_norm();
  const auto skip = torch::isfinite(sums.sum() + norm).logical_not();
  torch::Tensor divisor;  // as torch.nn.utils.clip_grad_norm_, without its 1e-6: g / max(1, norm / gradient_clip)
  if (config.gradient_clip) divisor = (norm / *config.gradient_clip).clamp_min(1).to(torch::kFloat);
  optimizer.step(learning_rate, skip.to(torch::kFloat), divisor);
  if (moving_average) moving_average->update(step);
  return {torch::cat({sums, skip.to(torch::kDouble).view(1)}), batch.target_tokens};
}

LaunchedStep train_step_with_retry(Replica& replica, const SentencePairs& corpus, StepBatch batch,
                                   const TrainingConfig& config, int64_t step, double learning_rate) {
  const auto can_halve = [&] {
    return std::any_of(batch.micro_batches.begin(), batch.micro_batches.end(),
                       [](const auto& pairs) { return pairs.size() > 1; });
  };
  for (int halvings = 0;; ++halvings) {
    try {
      LaunchedStep launched = train_step(replica, corpus, batch, config, step, learning_rate);
      launched.halvings = halvings;
      return launched;
    } catch (const std::exception& failure) {
      if (!is_out_of_memory(failure) || !replica.parallel.can_repeat_step() || !can_halve()) throw;
    }
    // After the catch block, so that what the exception holds is freed before the step is repeated.
    empty_gpu_cache();
    batch.micro_batches = halve(batch.micro_batches);
  }
}

}  // namespace transformer

#include "training/train_step.h"

#include <algorithm>
#include <cmath>

#include "base/splitmix64.h"
#include "data/batch_by_tokens.h"
#include "data/pair_length.h"
#include "data/shard.h"
#include "platform/out_of_memory.h"
#include "training/batch_loss.h"

namespace transformer {
namespace {

/// Deviation D14: together with the index of a sentence pair, the seed of its dropout masks.
uint64_t dropout_seed(const TrainingConfig& config, int64_t step) {
  return splitmix64(splitmix64(static_cast<uint64_t>(config.seed)) + static_cast<uint64_t>(step));
}

/// The sum of one-element tensors.
double total(const std::vector<torch::Tensor>& values) {
  return values.empty() ? 0.0 : torch::stack(values).to(torch::kDouble).sum().item<double>();
}

/// The losses of the micro-batches of all ranks, added up.
StepResult sum_losses(const std::vector<LossSums>& losses, int64_t target_tokens, const ProcessGroup& group) {
  std::vector<torch::Tensor> smoothed, unsmoothed;
  for (const LossSums& sums : losses) {
    smoothed.push_back(sums.loss);
    unsmoothed.push_back(sums.negative_log_likelihood);
  }
  const auto own = [&] {
    const CollectiveScope scope(group);  // reading a value waits for the GPU, which sums gradients with other ranks
    return std::vector<double>{total(smoothed), total(unsmoothed)};
  }();
  const auto sums = group.sum(own);
  return {.loss = sums[0], .negative_log_likelihood = sums[1], .target_tokens = target_tokens};
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
                          const ProcessGroup& group) {
  StepBatch batch;
  batch.pairs = pairs;
  for (const int64_t pair : pairs) batch.target_tokens += target_tokens(corpus[pair]);
  batch.micro_batches = batch_by_tokens(corpus, shard(corpus, pairs, group.rank(), group.size()), device_tokens);
  return batch;
}

StepResult train_step(const Replica& replica, const SentencePairs& corpus, const StepBatch& batch,
                      const TrainingConfig& config, int64_t step, double rate) {
  const auto& [model, optimizer, parallel] = replica;
  const auto target_tokens = static_cast<double>(batch.target_tokens);
  const size_t num_micro_batches = batch.micro_batches.size();
  std::vector<LossSums> losses;

  parallel.begin_step(step);
  optimizer.zero_grad();
  for (size_t i = 0; i < num_micro_batches; ++i) {
    const LossSums sums = micro_batch_loss(model, corpus, batch.micro_batches[i], config, dropout_seed(config, step));
    parallel.backward(sums.loss / target_tokens, /*sum_gradients=*/i + 1 == num_micro_batches);
    losses.push_back({sums.loss.detach(), sums.negative_log_likelihood.detach()});
  }
  if (num_micro_batches == 0) parallel.backward(parallel.zero_loss(), /*sum_gradients=*/true);

  StepResult result = sum_losses(losses, batch.target_tokens, parallel.group());
  const double norm = optimizer.gradient_norm();
  result.skipped = !std::isfinite(result.loss) || !std::isfinite(norm);
  if (result.skipped) return result;
  if (config.gradient_clip && norm > *config.gradient_clip) optimizer.scale_gradients(*config.gradient_clip / norm);
  optimizer.step(rate);
  return result;
}

StepResult train_step_with_retry(const Replica& replica, const SentencePairs& corpus, StepBatch batch,
                                 const TrainingConfig& config, int64_t step, double rate) {
  const auto can_halve = [&] {
    return std::any_of(batch.micro_batches.begin(), batch.micro_batches.end(),
                       [](const auto& pairs) { return pairs.size() > 1; });
  };
  for (int halvings = 0;; ++halvings) {
    try {
      StepResult result = train_step(replica, corpus, batch, config, step, rate);
      result.halvings = halvings;
      return result;
    } catch (const std::exception& failure) {
      if (!is_out_of_memory(failure) || !replica.parallel.can_repeat_step() || !can_halve()) throw;
    }
    // After the catch block, so that what the exception holds is freed before the step is repeated.
    batch.micro_batches = halve(batch.micro_batches);
  }
}

}  // namespace transformer

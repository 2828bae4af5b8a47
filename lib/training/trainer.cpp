#include "training/trainer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "base/mix.h"
#include "base/signals.h"
#include "platform/out_of_memory.h"
#include "ops/dropout.h"
#include "training/learning_rate.h"

namespace transformer {
namespace {

constexpr int kMostSkippedSteps = 10;

/// Deviation D14: what the dropout of a step follows from, besides the sentence pairs themselves.
uint64_t dropout_seed(const TrainingConfig& config, int64_t step) {
  return mix(mix(static_cast<uint64_t>(config.seed)) + static_cast<uint64_t>(step));
}

LossSums batch_loss(Transformer& model, const Batch& batch, const TrainingConfig& config) {
  const PrecisionScope scope(config.precision);
  const auto decoder_output = model->decode(batch.target_in, model->encode(batch.source), batch.source.packing);
  return linear_cross_entropy(decoder_output, model->output_weight(), batch.target_out, config.eps_ls);
}

/// Equation 3, times a factor that is not the paper's (Deviation D16).
double step_learning_rate(const TrainingConfig& config, int64_t d_model, int64_t step) {
  return config.learning_rate_scale * learning_rate(step, d_model, config.warmup_steps);
}

std::string lines_of(const Corpus& corpus, const std::vector<int64_t>& pairs) {
  static constexpr size_t kShown = 10;
  std::string lines;
  for (size_t i = 0; i < pairs.size() && i < kShown; ++i) {
    lines += concat(i == 0 ? "" : ", ", corpus[pairs[i]].line);
  }
  return pairs.size() > kShown ? concat(lines, " and ", pairs.size() - kShown, " more") : lines;
}

StepResult operator+(const StepResult& a, const StepResult& b) {
  return {a.loss + b.loss, a.negative_log_likelihood + b.negative_log_likelihood, a.target_tokens + b.target_tokens,
          false, 0};
}

/// Of one-element tensors. Waits until the device has come so far, and so, on a GPU, the other ranks.
double total(const std::vector<torch::Tensor>& values, const ProcessGroup& group) {
  const WaitingScope scope(group);
  return values.empty() ? 0.0 : torch::stack(values).to(torch::kDouble).sum().item<double>();
}

/// What one rank is asked for all do, after the same step.
struct Asked {
  bool stop, save;
};

Asked asked_of_any(const ProcessGroup& group, bool save) {
  const auto sums = group.sum({stop_requested() ? 1.0 : 0.0, save ? 1.0 : 0.0});
  return {sums[0] > 0, sums[1] > 0};
}

/// For --verbose: what was sent when, and how much of it while the backward pass ran.
void log_communication(const DataParallel& parallel) {
  const double backward = parallel.backward_seconds();
  std::string buckets;
  for (const auto& bucket : parallel.bucket_times()) {
    buckets += concat(buckets.empty() ? "" : ", ", human_bytes(bucket.bytes), " from ", fixed(bucket.begin, 3), " to ",
                      fixed(bucket.end, 3), " s");
  }
  if (!buckets.empty()) log_debug("  backward pass ", fixed(backward, 3), " s; gradients: ", buckets);
}

/// Each slice of several pairs in two.
std::vector<std::vector<int64_t>> halves_of(const std::vector<std::vector<int64_t>>& slices) {
  std::vector<std::vector<int64_t>> halves;
  for (const auto& slice : slices) {
    const auto middle = slice.begin() + std::ssize(slice) / 2;
    if (middle != slice.begin()) halves.emplace_back(slice.begin(), middle);
    halves.emplace_back(middle, slice.end());
  }
  return halves;
}

/// The gradients of the slices, summed over the ranks, and their losses.
void add_gradients(const Replica& replica, const Corpus& corpus, const StepWork& work, const TrainingConfig& config,
                   int64_t step, StepResult& result) {
  const auto& [model, optimizer, parallel] = replica;
  const auto tokens = static_cast<double>(work.target_tokens);
  const uint64_t seed = dropout_seed(config, step);
  std::vector<torch::Tensor> losses, likelihoods;  // of the slices
  const auto add_slices = [&](const std::vector<std::vector<int64_t>>& slices) {
    losses.clear();
    likelihoods.clear();
    optimizer.zero_grad();
    for (size_t i = 0; i < slices.size(); ++i) {
      const LossSums sums = slice_loss(model, corpus, slices[i], config, seed);
      parallel.backward(sums.loss / tokens, i + 1 == slices.size());
      parallel.group().progress();
      losses.push_back(sums.loss.detach());
      likelihoods.push_back(sums.negative_log_likelihood.detach());
    }
    if (slices.empty()) parallel.backward(parallel.no_loss(), /*is_last=*/true);
  };
  /// False where memory ran out and smaller slices are left to try.
  const auto fit = [&](const std::vector<std::vector<int64_t>>& slices) {
    try {
      add_slices(slices);
      return true;
    } catch (const std::exception& failure) {
      const auto is_one_pair = [](const auto& slice) { return slice.size() == 1; };
      if (!is_out_of_memory(failure) || std::all_of(slices.begin(), slices.end(), is_one_pair)) throw;
      return false;
    }
  };
  parallel.begin_step();
  for (auto slices = work.slices; !fit(slices); slices = halves_of(slices)) ++result.halvings;
  const auto sums = parallel.group().sum({total(losses, parallel.group()), total(likelihoods, parallel.group())});
  result.loss = sums[0];
  result.negative_log_likelihood = sums[1];
}

void note_validation(double valid_loss, TrainingState& state) {
  if (valid_loss < state.best_valid_loss) {
    state.best_valid_loss = valid_loss;
    state.validations_since_best = 0;
  } else {
    ++state.validations_since_best;
  }
}

}  // namespace

bool is_finished(const TrainingState& state, const TrainingConfig& config) {
  return state.step >= config.train_steps || (config.patience && state.validations_since_best >= *config.patience);
}

StepWork make_work(const Corpus& corpus, const std::vector<int64_t>& pairs, int64_t device_tokens,
                   const ProcessGroup& group) {
  StepWork work;
  for (const int64_t pair : pairs) work.target_tokens += target_tokens(corpus[pair]);
  work.slices = cut_into_slices(corpus, share_of(corpus, pairs, group.rank(), group.size()), device_tokens);
  return work;
}

LossSums slice_loss(Transformer& model, const Corpus& corpus, const std::vector<int64_t>& pairs,
                    const TrainingConfig& config, uint64_t seed) {
  const Batch batch = make_batch(corpus, pairs).to(model->device());
  const DropoutScope scope(seed, pairs);
  return batch_loss(model, batch, config);
}

StepResult train_step(const Replica& replica, const Corpus& corpus, const StepWork& work, const TrainingConfig& config,
                      int64_t step) {
  Adam& optimizer = replica.optimizer;
  StepResult result{.target_tokens = work.target_tokens};
  add_gradients(replica, corpus, work, config, step, result);
  const double norm = optimizer.gradient_norm();
  if (!std::isfinite(result.loss) || !std::isfinite(norm)) {
    result.skipped = true;
    return result;
  }
  if (config.gradient_clip && norm > *config.gradient_clip) {
    optimizer.scale_gradients(*config.gradient_clip / norm);
  }
  optimizer.step(step_learning_rate(config, replica.model->config().d_model, step));
  return result;
}

void train(const Replica& replica, const Corpus& corpus, const TrainingConfig& config, int64_t device_tokens,
           TrainingState& state, const TrainingHooks& hooks) {
  Transformer& model = replica.model;
  const ProcessGroup& group = replica.parallel.group();
  BatchSampler sampler(corpus, config.batch_tokens, static_cast<uint64_t>(config.seed));
  sampler.seek(state.position);
  model->train();

  StepResult since_log;
  double seconds_at_log = state.seconds;
  auto last_save = Clock::now();
  int64_t saved_step = state.step;
  int skipped_in_a_row = 0;
  const auto due = [&](std::optional<int64_t> every) { return every && state.step % *every == 0; };
  const auto save = [&] {
    group.turn_to(Activity::other, concat("the checkpoint of step ", state.step));
    hooks.save();
    group.barrier();  // nobody waits in a step for the one who writes
    last_save = Clock::now();
    saved_step = state.step;
  };

  Activity activity = Activity::first_step;
  bool stop = asked_of_any(group, /*save=*/false).stop;
  while (!is_finished(state, config) && !stop) {
    const auto start = Clock::now();
    group.turn_to(std::exchange(activity, Activity::stepping), concat("step ", state.step + 1));
    const auto pairs = sampler.next();
    const StepWork work = make_work(corpus, pairs, device_tokens, group);
    log_debug("step ", state.step + 1, ": ", pairs.size(), " pairs in ", work.slices.size(), " slices");
    const StepResult result = train_step(replica, corpus, work, config, state.step + 1);
    ++state.step;
    state.position = sampler.position();
    state.seconds += seconds_since(start);
    log_communication(replica.parallel);

    if (result.halvings > 0) {
      const int64_t tried = std::min(device_tokens, config.batch_tokens / group.size());
      device_tokens = std::max<int64_t>(tried >> result.halvings, 1);
      log_warning("step ", state.step, ": out of memory with slices of ", with_thousands(tried),
                  " tokens; training goes on with slices of ", with_thousands(device_tokens));
    }
    if (result.skipped) {
      log_warning("step ", state.step, ": loss or gradient is not finite; the step was skipped");
      if (++skipped_in_a_row == kMostSkippedSteps) {
        throw Error("step ", state.step, ": loss or gradient was not finite in ", kMostSkippedSteps,
                    " steps in a row, last with the lines ", lines_of(corpus, pairs),
                    " of the training text; look at them, or begin anew with a lower "
                    "training.learning_rate_scale and --overwrite");
      }
    } else {
      skipped_in_a_row = 0;
      since_log = since_log + result;
    }

    const bool last = state.step == config.train_steps;
    if ((state.step % config.log_every == 0 || last) && since_log.target_tokens > 0) {
      hooks.log(since_log, step_learning_rate(config, model->config().d_model, state.step),
                state.seconds - seconds_at_log);
      since_log = {};
      seconds_at_log = state.seconds;
    }
    if (due(config.validate_every) || (config.validate_every && last)) {
      group.turn_to(Activity::other, concat("the validation after step ", state.step));
      note_validation(hooks.validate(), state);
      model->train();
    }
    const bool minutes_over = config.checkpoint_minutes && seconds_since(last_save) > 60 * *config.checkpoint_minutes;
    const Asked asked = asked_of_any(group, minutes_over);
    if (due(config.checkpoint_every) || asked.save) save();
    stop = asked.stop;
  }
  if (state.step != saved_step) save();
}

Validation validation_loss(Transformer& model, const Corpus& corpus, const TrainingConfig& config,
                           int64_t device_tokens) {
  torch::NoGradGuard no_grad;
  model->eval();
  std::vector<int64_t> pairs(static_cast<size_t>(corpus.size()));
  std::iota(pairs.begin(), pairs.end(), int64_t{0});
  double loss = 0, likelihood = 0;
  int64_t tokens = 0;
  for (const auto& slice : cut_into_slices(corpus, pairs, device_tokens)) {
    const Batch batch = make_batch(corpus, slice).to(model->device());
    const LossSums sums = batch_loss(model, batch, config);
    loss += sums.loss.item<double>();
    likelihood += sums.negative_log_likelihood.item<double>();
    tokens += batch.num_target_tokens();
  }
  const auto n = static_cast<double>(tokens);
  return {loss / n, std::exp(likelihood / n)};
}

}  // namespace transformer

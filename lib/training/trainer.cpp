#include "training/trainer.h"

#include <chrono>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/log.h"
#include "base/mix.h"
#include "base/signals.h"
#include "data/tokenizer.h"
#include "ops/dropout.h"
#include "training/label_smoothing.h"
#include "training/learning_rate.h"

namespace transformer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostSkippedSteps = 10;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Deviation D14: what the dropout of a step follows from, besides the sentence pairs themselves.
uint64_t dropout_seed(const TrainingConfig& config, int64_t step) {
  return mix(mix(static_cast<uint64_t>(config.seed)) + static_cast<uint64_t>(step));
}

LossSums batch_loss(Transformer& model, const Batch& batch, const TrainingConfig& config) {
  const PrecisionScope scope(config.precision);
  const auto decoder_output = model->decode(batch.target_in, model->encode(batch.source), batch.source);
  return label_smoothed_cross_entropy(decoder_output, model->output_weight(), batch.target_out, config.eps_ls, kPad);
}

/// The same with dropout, for the pairs of these numbers.
LossSums training_loss(Transformer& model, const Batch& batch, const TrainingConfig& config, uint64_t seed,
                       const std::vector<int64_t>& pairs) {
  const DropoutScope scope(seed, pairs);
  return batch_loss(model, batch, config);
}

int64_t count_target_tokens(const Corpus& corpus, const std::vector<std::vector<int64_t>>& slices) {
  int64_t tokens = 0;
  for (const auto& slice : slices) {
    for (const int64_t pair : slice) tokens += static_cast<int64_t>(corpus[pair].target.size()) + 1;
  }
  return tokens;
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
          false};
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

StepResult train_step(Transformer& model, Adam& optimizer, const Corpus& corpus,
                      const std::vector<std::vector<int64_t>>& slices, const TrainingConfig& config, int64_t step) {
  StepResult result;
  result.target_tokens = count_target_tokens(corpus, slices);
  const auto tokens = static_cast<double>(result.target_tokens);
  const uint64_t seed = dropout_seed(config, step);
  optimizer.zero_grad();
  for (size_t i = 0; i < slices.size(); ++i) {
    const Batch batch = make_batch(corpus, slices[i]).to(model->device());
    torch::manual_seed(mix(seed + i));  // of attention dropout, which is LibTorch's
    const LossSums sums = training_loss(model, batch, config, seed, slices[i]);
    (sums.loss / tokens).backward();
    result.loss += sums.loss.item<double>();
    result.negative_log_likelihood += sums.negative_log_likelihood.item<double>();
  }
  const double norm = optimizer.gradient_norm();
  if (!std::isfinite(result.loss) || !std::isfinite(norm)) {
    result.skipped = true;
    return result;
  }
  if (config.gradient_clip && norm > *config.gradient_clip) {
    optimizer.scale_gradients(*config.gradient_clip / norm);
  }
  optimizer.step(step_learning_rate(config, model->config().d_model, step));
  return result;
}

void train(Transformer& model, Adam& optimizer, const Corpus& corpus, const TrainingConfig& config,
           int64_t device_tokens, TrainingState& state, const TrainingHooks& hooks) {
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
    hooks.save();
    last_save = Clock::now();
    saved_step = state.step;
  };

  while (!is_finished(state, config) && !stop_requested()) {
    const auto start = Clock::now();
    const auto pairs = sampler.next();
    const auto slices = cut_into_slices(corpus, pairs, device_tokens);
    log_debug("step ", state.step + 1, ": ", pairs.size(), " pairs in ", slices.size(), " slices");
    const StepResult result = train_step(model, optimizer, corpus, slices, config, state.step + 1);
    ++state.step;
    state.position = sampler.position();
    state.seconds += seconds_since(start);

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
      note_validation(hooks.validate(), state);
      model->train();
    }
    const bool minutes_over = config.checkpoint_minutes && seconds_since(last_save) > 60 * *config.checkpoint_minutes;
    if (due(config.checkpoint_every) || minutes_over) save();
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
    tokens += batch.num_target_tokens;
  }
  const auto n = static_cast<double>(tokens);
  return {loss / n, std::exp(likelihood / n)};
}

}  // namespace transformer

#include "run/verify_resume.h"

#include <fmt/core.h>

#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "base/signals.h"
#include "run/training_run.h"

namespace transformer {
namespace {

/// The config of a run that takes `train_steps` steps, writes a checkpoint every `steps` steps, and does not validate.
Config config_of_trial(Config config, const std::string& directory, int64_t train_steps, int64_t steps) {
  TrainingConfig& training = config.training;
  training.directory = directory;
  training.train_steps = train_steps;
  training.max_epochs.reset();
  training.max_hours.reset();
  training.best_by = ValidationMetric::loss;
  // The learning rates of these schedules depend on `train_steps`, which differs here, and those of plateau on
  // validations.
  if (training.schedule == Schedule::linear || training.schedule == Schedule::cosine ||
      training.schedule == Schedule::plateau) {
    training.schedule = Schedule::constant;
    training.plateau_factor = TrainingConfig().plateau_factor;
    training.plateau_patience = TrainingConfig().plateau_patience;
  }
  training.validate_every.reset();
  training.patience.reset();
  training.checkpoint_every = steps;
  training.checkpoint_minutes.reset();
  training.tensorboard = false;
  return config;
}

void train_trial(const Config& config, torch::Device device, const ProcessGroup& group) {
  TrainingRun(config, device, group, /*overwrite=*/false).train();
  if (stop_requested()) throw Error("stopped before the resumed run was compared with the uninterrupted one");
}

bool is_same(const torch::Tensor& a, const torch::Tensor& b) {
  return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() &&
         std::memcmp(a.contiguous().data_ptr(), b.contiguous().data_ptr(), a.nbytes()) == 0;
}

void compare_tensors(const NamedTensors& a, const NamedTensors& b, std::vector<std::string>& differences) {
  for (const auto& named : a) {
    const torch::Tensor& other = b.at(named.key());
    if (is_same(named.value(), other)) continue;
    const auto difference = (named.value() - other).abs().max().item<double>();
    differences.push_back(fmt::format("{}: largest difference {:.1e}", named.key(), difference));
  }
}

int64_t count_elements(const NamedTensors& tensors) {
  int64_t count = 0;
  for (const auto& named : tensors) count += named.value().numel();
  return count;
}

}  // namespace

std::vector<std::string> checkpoint_differences(const Checkpoint& a, const Checkpoint& b) {
  std::vector<std::string> differences;
  compare_tensors(a.model.parameters, b.model.parameters, differences);
  compare_tensors(a.optimizer, b.optimizer, differences);
  compare_tensors(a.moving_average, b.moving_average, differences);
  const auto compare = [&](const char* name, auto in_a, auto in_b) {
    if (in_a != in_b) differences.push_back(fmt::format("{}: {} and {}", name, in_a, in_b));
  };
  compare("step", a.state.step, b.state.step);
  compare("epoch", a.state.position.epoch, b.state.position.epoch);
  compare("pool of the epoch", a.state.position.pool, b.state.position.pool);
  compare("bucket of the pool", a.state.position.bucket, b.state.position.bucket);
  compare("loss since the last log line", a.state.since_log.loss, b.state.since_log.loss);
  compare("target tokens since the last log line", a.state.since_log.target_tokens, b.state.since_log.target_tokens);
  return differences;
}

void verify_resume(const Config& config, torch::Device device, const ProcessGroup& group, int64_t steps) {
  const auto run = std::filesystem::absolute(config.training.directory + "/").lexically_normal().parent_path();
  const std::string directory = run.string() + ".verify-resume";
  if (group.is_first()) std::filesystem::remove_all(directory);
  group.barrier();
  const std::string resumed = directory + "/resumed", uninterrupted = directory + "/uninterrupted";
  train_trial(config_of_trial(config, resumed, steps, steps), device, group);
  train_trial(config_of_trial(config, resumed, 2 * steps, steps), device, group);
  train_trial(config_of_trial(config, uninterrupted, 2 * steps, steps), device, group);
  if (!group.is_first()) return;

  const Checkpoint a = load_checkpoint(RunDirectory(resumed).checkpoint(2 * steps));
  const Checkpoint b = load_checkpoint(RunDirectory(uninterrupted).checkpoint(2 * steps));
  const auto differences = checkpoint_differences(a, b);
  for (const auto& difference : differences) log_info("  {}", difference);
  if (!differences.empty()) {
    throw Error(
        "{}: after {} + {} steps the resumed run differs from the uninterrupted one in the values listed above; "
        "please report it with the output of 'transformer doctor'",
        directory, steps, steps);
  }
  std::filesystem::remove_all(directory);
  log_info(
      "exact resume verified: after {} + {} steps and after {} steps, all {} parameters, the state of the optimizer "
      "and the position in the corpus are the same, bit for bit",
      steps, steps, 2 * steps, with_thousands(count_elements(b.model.parameters)));
}

}  // namespace transformer

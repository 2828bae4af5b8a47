#include "run/verify_resume.h"

#include <fmt/core.h>

#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <variant>

#include "base/directory_lock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "base/make_directory.h"
#include "base/signals.h"
#include "run/training_run.h"

namespace transformer {
namespace {

/// The config of a run that takes `train_steps` steps, writes a checkpoint every `steps` steps, and does not validate.
Config config_of_trial(Config config, const std::string& directory, int64_t train_steps, int64_t steps) {
  config.training = steps_only(config.training);
  TrainingConfig& training = config.training;
  training.directory = directory;
  training.train_steps = train_steps;
  training.best_by = ValidationMetric::loss;
  // The learning rates of these schedules depend on `train_steps`, which differs here, and those of plateau on
  // validations.
  if (ends_at_zero(training.schedule) || training.schedule == Schedule::plateau) {
    training.schedule = Schedule::constant;
    training.plateau_factor = TrainingConfig().plateau_factor;
    training.plateau_patience = TrainingConfig().plateau_patience;
  }
  training.checkpoint_every = steps;
  training.tensorboard = false;
  return config;
}

bool is_same(const torch::Tensor& a, const torch::Tensor& b) {
  return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() &&
         std::memcmp(a.contiguous().data_ptr(), b.contiguous().data_ptr(), a.nbytes()) == 0;
}

/// What differs between two tensors; empty if they are the same.
std::string tensor_difference(const torch::Tensor& a, const torch::Tensor& b) {
  if (is_same(a, b)) return "";
  if (a.sizes() != b.sizes()) return "of different shapes";
  return fmt::format("largest difference {:.1e}", (a - b).abs().max().item<double>());
}

/// What differs between two values of one entry, a text for each difference.
std::vector<std::string> value_differences(const std::string& name, const ArchiveValue& a, const ArchiveValue& b) {
  if (a.index() != b.index()) return {name + ": of different types"};
  if (const auto* tensors = std::get_if<NamedTensors>(&a)) {
    const auto& others = std::get<NamedTensors>(b);
    std::vector<std::string> differences;
    for (const auto& tensor : *tensors) {
      const std::string difference =
          others.contains(tensor.key()) ? tensor_difference(tensor.value(), others.at(tensor.key())) : "missing";
      if (!difference.empty()) differences.push_back(fmt::format("{}/{}: {}", name, tensor.key(), difference));
    }
    for (const auto& other : others) {
      if (!tensors->contains(other.key())) differences.push_back(fmt::format("{}/{}: missing", name, other.key()));
    }
    return differences;
  }
  if (const auto* number = std::get_if<double>(&a); number != nullptr && *number != std::get<double>(b)) {
    return {fmt::format("{}: {} and {}", name, *number, std::get<double>(b))};
  }
  if (const auto* number = std::get_if<int64_t>(&a); number != nullptr && *number != std::get<int64_t>(b)) {
    return {fmt::format("{}: {} and {}", name, *number, std::get<int64_t>(b))};
  }
  const auto* tensor = std::get_if<torch::Tensor>(&a);
  const auto* text = std::get_if<std::string>(&a);
  if ((tensor != nullptr && !is_same(*tensor, std::get<torch::Tensor>(b))) ||
      (text != nullptr && *text != std::get<std::string>(b))) {
    return {name + ": not the same"};
  }
  return {};
}

int64_t count_elements(const NamedTensors& tensors) {
  int64_t count = 0;
  for (const auto& named : tensors) count += named.value().numel();
  return count;
}

}  // namespace

std::vector<std::string> checkpoint_differences(const Archive& a, const Archive& b) {
  // The configs of the two runs name different directories, and their times differ.
  static const std::set<std::string> kMayDiffer = {"config", "seconds", "seconds_since_log"};
  std::vector<std::string> differences;
  for (const auto& [name, value] : a) {
    if (kMayDiffer.contains(name)) continue;
    const auto other = b.find(name);
    const auto found =
        other == b.end() ? std::vector{name + ": missing"} : value_differences(name, value, other->second);
    differences.insert(differences.end(), found.begin(), found.end());
  }
  for (const auto& [name, value] : b) {
    if (!a.contains(name)) differences.push_back(name + ": missing");
  }
  return differences;
}

void verify_resume(const Config& config, const std::string& initial_model, torch::Device device,
                   const ProcessGroup& group, int64_t steps) {
  const auto run = std::filesystem::absolute(config.training.directory + "/").lexically_normal().parent_path();
  const std::string directory = run.string() + ".verify-resume";
  const std::string resumed = directory + "/resumed", uninterrupted = directory + "/uninterrupted";
  const auto remove_trials = [&] {
    for (const auto& trial : {resumed, uninterrupted}) std::filesystem::remove_all(trial);
  };
  const auto train = [&](const std::string& trial, int64_t train_steps) {
    const Config trial_config = config_of_trial(config, trial, train_steps, steps);
    TrainingRun(trial_config, device, group, /*overwrite=*/false, initial_model).train();
    if (stop_requested()) throw Error("stopped before the resumed run was compared with the uninterrupted one");
  };
  std::optional<DirectoryLock> lock;
  if (group.is_first()) {
    make_directory(directory);
    lock.emplace(directory);
    if (!lock->try_exclusive()) throw Error("{}: another --verify-resume is running; wait until it ends", directory);
    remove_trials();
  }
  group.barrier();
  train(resumed, steps);
  train(resumed, 2 * steps);
  train(uninterrupted, 2 * steps);
  if (!group.is_first()) return;

  group.set_activity(Activity::unlimited, "the comparison of the runs");
  const std::string resumed_checkpoint = RunDirectory(resumed).checkpoint(2 * steps);
  const Archive a = load_archive(resumed_checkpoint);
  const Archive b = load_archive(RunDirectory(uninterrupted).checkpoint(2 * steps));
  const auto differences = checkpoint_differences(a, b);
  for (const auto& difference : differences) log_info("  {}", difference);
  if (!differences.empty()) {
    throw Error(
        "{}: after {} + {} steps the resumed run differs from the uninterrupted one in the values listed above; {}",
        directory, steps, steps,
        device.is_cpu() ? "please report it with the output of 'transformer doctor'"
                        : "differences by rounding are expected on a GPU, some of whose kernels add up gradients in "
                          "varying order");
  }
  remove_trials();
  std::error_code not_empty;
  std::filesystem::remove(directory, not_empty);
  log_info(
      "exact resume verified: after {} + {} steps and after {} steps, all {} parameters, the state of the optimizer "
      "and the position in the corpus are the same, bit for bit",
      steps, steps, 2 * steps, with_thousands(count_elements(model_from_archive(a, resumed_checkpoint).parameters)));
}

}  // namespace transformer

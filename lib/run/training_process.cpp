#include "run/training_process.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/checksum.h"
#include "base/error.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "base/signals.h"
#include "config/find_config.h"
#include "config/load_config.h"
#include "distributed/launch.h"
#include "distributed/process_group.h"
#include "model/model_file.h"
#include "platform/device.h"
#include "run/failure.h"
#include "run/max_extra_tokens.h"
#include "run/next_commands.h"
#include "run/prepare_data.h"
#include "run/resume_rules.h"
#include "run/run_config.h"
#include "run/training_run.h"
#include "run/verify_resume.h"

namespace transformer {
namespace {

/// The threads of a rank without --threads: as many as the environment gives each rank, or its share of the cores that
/// the ranks of a machine have together. 0: LibTorch's default.
int default_threads(const Membership& membership) {
  if (membership.threads > 0 || membership.local_world_size == 1) return membership.threads;
  return std::max(1, usable_cores() / membership.local_world_size);
}

/// The config of a run that is resumed. If the run did not learn its vocabulary, it takes it from its newest intact
/// checkpoint instead of the files that `data.vocabulary` or `training.init_from` named, which need not exist any more.
Config with_vocabulary_of_checkpoint(Config config, const RunDirectory& directory) {
  const auto checkpoints = directory.checkpoints();
  for (auto newest = checkpoints.rbegin(); newest != checkpoints.rend(); ++newest) {
    try {
      const Config then = config_of_model(load_model_without_parameters(*newest), *newest);
      if (then.data.vocabulary.target || then.training.init_from) {
        config.data.vocabulary = {.source = *newest, .target = *newest};
        config.training.init_from.reset();
      }
      return config;
    } catch (const Error&) {  // damaged: try the checkpoint before it
    }
  }
  return config;
}

void warn_of_missing_test_text(const DataConfig& config) {
  for (const auto& path : {config.test_source, config.test_target}) {
    if (!path || std::filesystem::exists(TextPath(*path).file)) continue;
    log_warning("data.test: {}: there is no such file; the commands that are shown after training need it", *path);
  }
}

/// What rank 0 has ready when training begins.
struct Inputs {
  DirectoryLock data;         // keeps other processes from replacing the prepared data
  std::string initial_model;  // the file of `training.init_from`; empty without that key, and for a resumed run
  int64_t max_extra_tokens;   // `decoding.max_extra_tokens` of the run
};

/// Checks what can be checked before hours of preparation, and prepares the data.
Inputs check_and_prepare_data(const TrainingTask& task, const ResolvedConfig& resolved, bool overwrite, int threads) {
  Config config = resolved.config;
  bool is_limit_given = is_max_extra_tokens_given(resolved);
  const RunDirectory directory(config.training.directory);
  const std::string config_file = find_config(task.config.file);
  const bool verifies = task.verify_resume_steps > 0;
  const bool resumes = !verifies && !overwrite && !directory.checkpoints().empty();
  if (!verifies) {
    check_has_no_other_config(directory);
    if (resumes && !is_limit_given && std::filesystem::exists(directory.config())) {
      config.decoding.max_extra_tokens = read_run_config(directory).decoding.max_extra_tokens;
      is_limit_given = true;
    }
    if (!overwrite) check_run_directory(config);
    warn_of_missing_test_text(config.data);
  }
  if (resumes) {
    const Config resumed = with_vocabulary_of_checkpoint(config, directory);
    DirectoryLock data =
        prepare_data(resumed, find_initial_model(resumed, config_file), threads, config_file, OtherCorpus::refuse);
    return {std::move(data), /*initial_model=*/"", choose_max_extra_tokens(config, is_limit_given)};
  }
  std::string initial_model = find_initial_model(config, config_file);
  check_can_sample(config, initial_model, task.config);
  check_initial_model(config, initial_model, config_file);
  if (overwrite && !verifies) check_overwrite_keeps_inputs(config, initial_model);
  DirectoryLock data = prepare_data(config, initial_model, threads, config_file);
  return {std::move(data), std::move(initial_model), choose_max_extra_tokens(config, is_limit_given)};
}

void train_as_rank(const TrainingTask& task, ProcessGroup& group) {
  const Membership& m = group.membership();
  const ResolvedConfig resolved = resolve_config(task.config.file, task.config.overrides);
  const torch::Device device = select_device(task.device, m.local_rank, m.local_world_size, m.is_srun_task);
  if (m.is_srun_task) {
    warn_of_oversubscription(task.threads);
  } else if (m.local_rank == 0) {
    warn_of_oversubscription(task.threads * m.local_world_size);
  }
  const int threads = set_num_threads(task.threads > 0 ? task.threads : default_threads(m));
  group.connect(device);
  group.check_same_as_first(
      crc32_of(dump_config(resolved.config)),
      "has another config than rank 0; start all ranks with the same config file and the same --set");
  // When a launcher restarts the ranks, or only those of some machines, they resume the run.
  const bool overwrite = task.overwrite && group.sum({static_cast<double>(m.attempt)}).front() == 0;
  std::optional<Inputs> inputs;  // of rank 0
  if (group.is_first()) {
    group.set_activity(Activity::unlimited, "data preparation");
    inputs.emplace(check_and_prepare_data(task, resolved, overwrite, threads));
  }
  // The other ranks wait here for rank 0. Its choice holds for all of them, also if a newer checkpoint appears.
  const std::string initial_model = group.broadcast_from_first(inputs ? inputs->initial_model : "");
  Config config = resolved.config;
  config.decoding.max_extra_tokens =
      static_cast<int64_t>(group.broadcast_from_first(inputs ? static_cast<double>(inputs->max_extra_tokens) : 0.0));
  group.set_activity(Activity::unlimited, "start-up");
  catch_stop_signals(/*acknowledge=*/group.is_first() && log_shows(LogLevel::info));
  if (task.verify_resume_steps > 0) {
    verify_resume(config, initial_model, device, group, task.verify_resume_steps);
  } else {
    TrainingRun run(config, device, group, overwrite, initial_model);
    run.train();
    if (group.is_first()) log_next_commands(config, run.state(), task.overwrite);
  }
  group.disconnect();
}

/// Only the rank that has the cause of a failure reports it, with its number.
void train_with_others(const TrainingTask& task, const Membership& membership) {
  if (!membership.launcher_has_store) {
    log_info(
        "rank {} of {}, by the environment (RANK and WORLD_SIZE, or the variables of mpirun or srun): waiting up to {} "
        "s for the others at {}:{}",
        membership.rank, membership.world_size, task.timeouts.start.count(), membership.address, membership.port);
  }
  if (membership.rank > 0) set_rank(membership.rank);
  ProcessGroup group(membership, task.timeouts);
  const auto end_all_ranks = [&](const Failure& failure) {
    if (failure.is_consequence) group.wait_for_cause();
    group.end_all_ranks(failure.message, failure.status);
  };
  const UncaughtFailureHandler handler(end_all_ranks);
  try {
    train_as_rank(task, group);
  } catch (...) {
    end_all_ranks(describe_current_exception());
  }
}

/// Throws UsageError if a launcher other than `launch_ranks` has started this process as one of several ranks.
void check_devices(int devices, const Membership& membership) {
  if (devices == 1 || membership.is_alone()) return;
  if (membership.launcher_has_store && membership.local_world_size == devices) return;
  const bool is_known = membership.local_world_size != Membership::kUnknown;
  throw UsageError(
      "--devices {}: a launcher has started {} ranks {}already; leave --devices out, or, if there is no launcher, "
      "unset its environment variables (RANK, WORLD_SIZE, OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_STEP_ID)",
      devices, is_known ? membership.local_world_size : membership.world_size, is_known ? "on this machine " : "");
}

/// Loads the config once, so that an error in it is reported once instead of by every rank.
void check_config(const ConfigSource& config, int devices) {
  config.load();
  if (std::filesystem::is_regular_file(find_config(config.file))) return;
  throw UsageError("{}: is not a regular file, but each of the {} ranks reads the config; write it to a file",
                   config.file, devices);
}

}  // namespace

void run_training(const TrainingTask& task) {
  catch_save_signal();
  const Membership membership = find_membership();
  check_devices(task.devices, membership);
  if (task.devices > 1 && membership.is_alone()) {
    check_config(task.config, task.devices);
    launch_ranks(task.devices, task.timeouts.start, membership.attempt);
  } else if (membership.is_alone()) {
    ProcessGroup alone(membership);
    train_as_rank(task, alone);
  } else {
    train_with_others(task, membership);
  }
}

}  // namespace transformer

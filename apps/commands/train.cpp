#include <algorithm>
#include <memory>

#include "base/log.h"
#include "platform/malloc_policy.h"
#include "base/signals.h"
#include "commands/commands.h"
#include "data/prepare.h"
#include "platform/device.h"
#include "distributed/launch.h"
#include "distributed/process_group.h"
#include "errors.h"
#include "options.h"
#include "run/training_run.h"

namespace transformer {
namespace {

struct TrainOptions {
  ConfigOptions config;
  DeviceOptions device;
  int devices = 1, start_limit = 120;
  bool overwrite = false;
};

/// How to go on from here, as commands to copy.
void log_next(const Config& config, const TrainingState& state) {
  const std::string& directory = config.training.directory;
  if (!is_finished(state, config.training)) {
    log_info("stopped after step ", with_thousands(state.step), "; the same command goes on from there");
    return;
  }
  log_info("finished after step ", with_thousands(state.step), " (", human_duration(state.seconds),
           " of training). Next:");
  static constexpr size_t kAveraged = 5;  // of the base model (6.1)
  const size_t last = std::min(kAveraged, RunDirectory(directory).checkpoints().size());
  log_info("  transformer average-checkpoints --last ", last, " ", directory, " -o ", directory, "/averaged.pt");
  const std::string source = config.data.test_source.value_or("SOURCE");
  log_info("  transformer translate --model ", directory, "/averaged.pt --input ", source, " --output ", directory,
           "/translated");
  log_info("  transformer eval-bleu --hypothesis ", directory, "/translated --reference ",
           config.data.test_target.value_or("REFERENCE"));
}

/// Several ranks on one machine's CPU share its cores.
int default_threads(const Membership& membership) {
  return membership.local_size == 1 ? 0 : std::max(1, torch::get_num_threads() / membership.local_size);
}

/// One rank's work; in a world of one all of it.
void train_as_rank(const TrainOptions& options, const Membership& m, ProcessGroup& group) {
  const Config config = options.config.load();
  const torch::Device device = select_device(options.device.device, m.local_rank, m.local_size);
  const int threads = set_num_threads(options.device.threads > 0 ? options.device.threads : default_threads(m));
  group.meet(device);
  if (group.is_first()) {
    group.turn_to(Activity::other, "preparing the data");
    if (!options.overwrite) check_run_directory(config);
    prepare(config.data, threads);
  }
  group.barrier();
  catch_stop_signals();
  TrainingRun run(config, device, group, options.overwrite);
  run.train();
  if (group.is_first()) log_next(config, run.state());
  group.part();
}

/// Of several ranks the one that has the cause of a failure says it, and names itself.
void train_with_others(const TrainOptions& options, const Membership& membership) {
  if (membership.rank > 0) set_rank(membership.rank);
  ProcessGroup group(membership, std::chrono::seconds(options.start_limit));
  try {
    train_as_rank(options, membership, group);
  } catch (...) {
    const Failure failure = describe_current_exception();
    if (failure.is_of_another_rank) group.wait_for_cause();
    group.end_with(failure.sentence, failure.status);
  }
}

void run_train(const TrainOptions& options) {
  keep_freed_memory();
  const Membership membership = find_membership();
  if (options.devices > 1 && is_launched() && options.devices != membership.local_size) {
    throw UsageError("--devices ", options.devices, ": a launcher has started ", membership.local_size,
                     " ranks on this machine already; leave --devices out");
  }
  if (options.devices > 1 && !is_launched()) {
    options.config.load();  // what is wrong with it is said once
    launch_ranks(options.devices);
  } else if (membership.is_alone()) {
    ProcessGroup alone(membership);
    train_as_rank(options, membership, alone);
  } else {
    train_with_others(options, membership);
  }
}

}  // namespace

void add_train(CLI::App& app) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* command =
      app.add_subcommand("train", "Train, after preprocessing where needed; goes on where the run directory stands");
  add_config_options(*command, options->config)->required();
  command->add_flag("--overwrite", options->overwrite, "Remove the run that the run directory holds, and begin anew");
  command->add_option("--devices", options->devices, "Train on this many devices of this machine, one rank each")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command->add_option("--start-limit", options->start_limit, "Seconds that several ranks wait for each other at first")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  add_device_options(*command, options->device);
  add_log_options(*command);
  command->footer("Example:\n  transformer train --config configs/sample.yaml --set training.seed=2");
  command->callback([options] { run_train(*options); });
}

}  // namespace transformer

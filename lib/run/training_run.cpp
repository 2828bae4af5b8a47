#include "run/training_run.h"

#include <ATen/Parallel.h>
#include <fmt/core.h>

#include <filesystem>

#include "base/checksum.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "base/signals.h"
#include "data/prepared_files.h"
#include "data/training_parts.h"
#include "data/vocabulary.h"
#include "inference/find_model.h"
#include "run/architecture.h"
#include "model/init.h"
#include "model/model_cost.h"
#include "ops/precision.h"
#include "platform/cpu_features.h"
#include "platform/device.h"
#include "reporting/metric_values.h"
#include "reporting/metrics.h"
#include "run/failure.h"
#include "run/resume_rules.h"
#include "run/run_config.h"
#include "training/device_tokens.h"
#include "training/set_up_process.h"

namespace transformer {
namespace {

constexpr int64_t kNoCheckpoint = -1;  // instead of a step

/// The error message of a rank whose file `path` differs from rank 0's.
std::string other_contents(const std::string& path) {
  return path + ": has other contents here than where rank 0 runs; put it on a disk that all ranks share";
}

/// Throws Error if another rank has a different file.
void check_same_file(const std::string& path, const ProcessGroup& group) {
  if (group.size() > 1) group.check_same_as_first(crc32_of_file(path), other_contents(path));
}

/// Such as "vocabulary of 8,000" or "vocabularies of 8,000 and 6,000".
std::string vocabulary_text(const Tokenizers& tokenizers) {
  const std::string target = with_thousands(tokenizers.target().size());
  if (tokenizers.are_shared()) return "vocabulary of " + target;
  return fmt::format("vocabularies of {} and {}", with_thousands(tokenizers.source().size()), target);
}

}  // namespace

TrainingRun::TrainingRun(const Config& config, torch::Device device, const ProcessGroup& group, bool overwrite)
    : config_(config),
      device_(device),
      directory_(config.training.directory),
      group_(group),
      progress_(config.training),
      lock_(claim_directory(overwrite)),
      tokenizers_(load_tokenizers(PreparedFiles(config.data.prepared))),
      corpus_(PreparedFiles(config.data.prepared).train, training_parts(config.data)),
      model_(make_model()),
      optimizer_(*model_, adam_options(config.training), config.training.shard_optimizer ? &group : nullptr),
      parallel_(*model_, group, config.training.gradient_compression),
      recorder_(directory_, config),
      writer_(directory_, config.training.keep_checkpoints) {
  status_.begin("starting");
  if (config.training.ema_decay && group.is_first()) moving_average_.emplace(*model_, *config.training.ema_decay);
  if (config.data.sampling_alpha) {
    segmentations_.emplace(corpus_, tokenizers_, *config.data.sampling_alpha, config.data.max_length,
                           static_cast<uint64_t>(config.training.seed));
  }
  if (!config_.data.valid.empty() && group.is_first()) validator_.emplace(config_, tokenizers_);
  group.check_same_as_first(static_cast<double>(corpus_.checksum()), other_contents(config_.data.prepared));
  resume_or_initialize(overwrite);
  state_.corpus_checksum = corpus_.checksum();
  set_up_process(config_.training);
  device_tokens_ = choose_device_tokens(model_, corpus_, config_.training, group, memory_for_rank(device, group));
  if (group.is_first()) begin_records(overwrite);
  log_beginning();
}

Transformer TrainingRun::make_model() const {
  check_memory(config_.model, tokenizers_.sizes(), config_.training, device_, group_);
  return new_model(config_.model, tokenizers_.sizes(), config_.training.seed, device_);
}

std::optional<DirectoryLock> TrainingRun::claim_directory(bool overwrite) const {
  std::optional<DirectoryLock> lock;
  if (group_.is_first()) {
    lock.emplace(directory_.lock());
    directory_.remove_leftovers();
    if (!overwrite) set_log_file(directory_.log());
  }
  group_.barrier();
  return lock;
}

void TrainingRun::resume_or_initialize(bool overwrite) {
  if (const auto checkpoint = overwrite ? std::nullopt : newest_checkpoint()) {
    const std::string path = directory_.checkpoint(checkpoint->state.step);
    restore(*checkpoint, path);
    check_same_file(path, group_);
    if (state_.step > config_.training.train_steps) {
      group_.fail_together(
          fmt::format("{}: has taken {} already, more than training.train_steps; give at least this number",
                      directory_.path(), counted(state_.step, "step")));
    }
    if (group_.is_first()) directory_.prune(state_.step, config_.training.keep_checkpoints);
    log_info("{}: resuming after step {}", directory_.path(), with_thousands(state_.step));
  } else if (config_.training.init_from) {
    const std::string path = find_model(*config_.training.init_from);
    init_from(path);
    check_same_file(path, group_);
  }
}

std::optional<Checkpoint> TrainingRun::newest_checkpoint() const {
  std::optional<Checkpoint> newest;
  if (group_.is_first()) newest = directory_.newest_checkpoint();
  const auto step = static_cast<int64_t>(
      group_.broadcast_from_first(newest ? static_cast<double>(newest->state.step) : kNoCheckpoint));
  if (group_.is_first() || step == kNoCheckpoint) return newest;
  const std::string path = directory_.checkpoint(step);
  if (!std::filesystem::exists(path)) {
    throw Error(
        "{}: is missing here, but rank 0 resumes from it; put training.directory on a disk that all ranks share", path);
  }
  return load_checkpoint(path);
}

void TrainingRun::restore(const Checkpoint& checkpoint, const std::string& path) {
  if (checkpoint.model.vocabularies != tokenizers_.models() || checkpoint.state.corpus_checksum != corpus_.checksum()) {
    throw Error(
        "{}: was trained on other text, or with another vocabulary, than is now in {}; restore the training text of "
        "that run and run the same command again, or give --overwrite to start a new run",
        path, config_.data.prepared);
  }
  const StoredConfig then = config_of_model(checkpoint.model, path);
  check_config_of_checkpoint(then, config_, path);
  set_parameters(*model_, checkpoint.model.parameters, path);
  optimizer_.set_state(checkpoint.optimizer, path);
  if (moving_average_) moving_average_->set_state(checkpoint.moving_average, path);
  // A run that began with a model remains one where the key is no longer given: it has that model's vocabulary.
  if (!config_.training.init_from) config_.training.init_from = then.training.init_from;
  state_ = checkpoint.state;
  if (!validations_are_comparable(then, config_)) {
    if (state_.validations.best && group_.is_first()) {
      log_warning(
          "{}: the best validation so far is forgotten, because it is not comparable with the next ones (another "
          "validation text, training.best_by or search); the next one replaces {}",
          directory_.path(), directory_.best());
    }
    state_.validations = {.num_reductions = state_.validations.num_reductions};
  }
}

void TrainingRun::init_from(const std::string& path) {
  const ModelFile file = load_model(path);
  check_fits_config(file, path, tokenizers_.models(), config_);
  set_parameters(*model_, file.parameters, path);
  check_finite(file.parameters, path);
  if (moving_average_) moving_average_->set_state(file.parameters, path);
  log_info("starting with the parameters of {}", path);
}

void TrainingRun::begin_records(bool overwrite) {
  if (overwrite) {
    directory_.clear();
    directory_.set_aside_averaged();
    set_log_file(directory_.log());
  }
  if (state_.step == 0) directory_.set_aside_best();
  write_run_config(directory_, config_);
  recorder_.begin({.device = device_name(device_),
                   .threads = at::get_num_threads(),
                   .devices = group_.size(),
                   .parameters = num_parameters(config_.model, tokenizers_.sizes()),
                   .vocabularies = tokenizers_.sizes()},
                  state_.step);
}

void TrainingRun::train() {
  const auto record_failure = [&] {
    if (!group_.is_first()) return;
    group_.set_activity(Activity::unlimited);  // the checkpoint that is being written may take any time
    recorder_.end_after_failure();
  };
  const UncaughtFailureHandler handler([&](const Failure&) { record_failure(); });
  try {
    run_trainer();
    finish_saving();
  } catch (...) {
    record_failure();
    throw;
  }
  if (!group_.is_first()) return;
  recorder_.end(is_finished(state_, config_.training) ? RunStatus::finished : RunStatus::stopped);
}

void TrainingRun::run_trainer() {
  TrainingConfig config = config_.training;
  if (config_.data.valid.empty()) config.validate_every.reset();
  const bool writes = group_.is_first();
  show_status();
  transformer::train(
      {model_, optimizer_, parallel_}, corpus_, config, device_use(model_->device(), device_tokens_), state_,
      {.after_update =
           [&] {
             if (moving_average_) moving_average_->update(state_.step);
           },
       .step =
           [&](const CompletedStep& completed) {
             writer_.check();
             progress_.add_step(completed.result.target_tokens, completed.seconds);
             progress_.set_epochs(state_.step, state_.epochs);
             show_status();
           },
       .log =
           [&](const StepSums& sums, double rate) {
             if (writes) log_step(sums, rate);
           },
       .validate = [&] { return validate(); },
       .save_best =
           [&] {
             if (writes) save_best();
           },
       .save = [&] { save(); },
       .newest_checkpoint_up_to = [&](int64_t step) { return directory_.newest_checkpoint_up_to(step); }},
      segmentations_ ? &*segmentations_ : nullptr);
}

void TrainingRun::log_beginning() const {
  const Precision precision = precision_on(device_.is_cuda(), config_.training.precision);
  log_info("{} parameters, {}, {}; steps of {} tokens in micro-batches of {} on {} ({}{}{})",
           with_thousands(num_parameters(config_.model, tokenizers_.sizes())), counted(corpus_.size(), "pair"),
           vocabulary_text(tokenizers_), with_thousands(config_.training.batch_tokens), with_thousands(device_tokens_),
           device_.str(), counted(at::get_num_threads(), "thread"),
           group_.size() > 1 ? fmt::format(", {} ranks", group_.size()) : "",
           config_.training.precision == Precision::automatic ? fmt::format(", in {}", name_of(precision)) : "");
  if (config_.training.precision == Precision::bf16 && device_.is_cpu() && group_.is_first() &&
      bf16_products(cpu_flags()) == Bf16Products::unsupported) {
    log_warning(
        "training.precision: LibTorch has no bf16 kernels for a processor without AVX-512, so training takes many "
        "times as long as with fp32, which --set training.precision=fp32 selects for a new run");
  }
}

void TrainingRun::log_step(const StepSums& sums, double rate) {
  const ActivityScope logging(group_, Activity::unlimited);  // files on a slow disk may take any time
  const double loss = sums.loss_per_token(), perplexity = sums.perplexity();
  const double speed = static_cast<double>(sums.target_tokens) / sums.seconds;
  const double seconds_left = progress_.seconds_left(state_.step);
  log_info("step {}  loss {:.4f}  perplexity {}  learning rate {:.2e}  {} target tokens/s  {}{}",
           with_thousands(state_.step), loss, perplexity_text(perplexity), rate,
           with_thousands(static_cast<int64_t>(speed)), human_duration(state_.seconds),
           seconds_left > 0 ? fmt::format(", {} left", human_duration(seconds_left)) : "");
  recorder_.write_metrics({state_.step,
                           {{"loss", loss},
                            {"perplexity", perplexity},
                            {"learning_rate", rate},
                            {"target_tokens_per_second", speed},
                            {"seconds", state_.seconds},
                            {"memory_bytes", static_cast<double>(peak_memory(device_))},
                            {"devices", static_cast<double>(group_.size())}}});
}

void TrainingRun::show_status() {
  if (!status_.is_visible()) return;
  status_.update(status_text({.step = state_.step,
                              .last_step = progress_.last_step(),
                              .seconds_left = progress_.seconds_left(state_.step),
                              .epochs = state_.epochs,
                              .tokens_per_second = progress_.tokens_per_second(),
                              .memory_bytes = peak_memory(device_)}));
}

double TrainingRun::validate() {
  const auto start = Clock::now();
  group_.set_activity(Activity::unlimited, fmt::format("the validation after step {}", with_thousands(state_.step)));
  status_.begin(fmt::format("step {}  validating", with_thousands(state_.step)));
  const double value = group_.broadcast_from_first(group_.is_first() ? value_of_validation() : 0.0);
  progress_.set_validation_seconds(seconds_since(start));
  show_status();
  return value;
}

double TrainingRun::value_of_validation() {
  std::optional<MovingAverage::Scope> average_as_parameters;
  if (moving_average_) average_as_parameters.emplace(*moving_average_);
  const auto [metrics, samples] = validator_->validate(model_, device_tokens_, state_.step);
  recorder_.write_validation(metrics, samples);
  return metrics.value(validation_key(name_of(config_.training.best_by))).value();
}

ModelFile TrainingRun::model_file(NamedTensors parameters) const {
  return {.config = dump_config(config_), .vocabularies = tokenizers_.models(), .parameters = std::move(parameters)};
}

void TrainingRun::save() {
  const auto start = Clock::now();
  group_.set_activity(Activity::unlimited, fmt::format("the checkpoint of step {}", with_thousands(state_.step)));
  begin_checkpoint();
  group_.barrier();  // so that no rank waits in a step while rank 0 still copies
  log_debug("step {}: the checkpoint delayed training by {:.3f} s", with_thousands(state_.step), seconds_since(start));
  progress_.set_checkpoint_seconds(seconds_since(start));
}

void TrainingRun::begin_checkpoint() {
  if (!group_.is_first()) {
    if (config_.training.shard_optimizer) optimizer_.state();  // sends this rank's shard
    return;
  }
  writer_.wait();  // so that memory holds one copy of the parameters at a time
  writer_.begin({.model = model_file(copy_parameters(*model_)),
                 .optimizer = optimizer_.state(),
                 .moving_average = moving_average_ ? moving_average_->state() : NamedTensors(),
                 .state = state_});
  recorder_.write_report();
}

void TrainingRun::save_best() {
  writer_.wait();
  writer_.begin_best(model_file(moving_average_ ? moving_average_->state() : copy_parameters(*model_)));
}

void TrainingRun::finish_saving() {
  set_stop_message("stopping after this checkpoint");
  group_.set_activity(Activity::unlimited, fmt::format("the checkpoint of step {}", with_thousands(state_.step)));
  status_.begin(fmt::format("step {}  writing a checkpoint", with_thousands(state_.step)));
  writer_.wait();
  group_.barrier();
}

}  // namespace transformer

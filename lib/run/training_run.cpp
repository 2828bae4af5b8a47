#include "run/training_run.h"

#include <ATen/Parallel.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/checksum.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "base/signals.h"
#include "data/batch_sampler.h"
#include "data/pair_length.h"
#include "data/prepared_files.h"
#include "data/training_parts.h"
#include "data/vocabulary.h"
#include "model/decoder_start.h"
#include "model/init.h"
#include "model/model_cost.h"
#include "ops/precision.h"
#include "platform/device.h"
#include "reporting/metric_values.h"
#include "reporting/metrics.h"
#include "run/architecture.h"
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

/// Throws Error on a rank that does not find the file `path`, which rank 0 has read. `use` says what rank 0 does with
/// it, `file` what all ranks need to share.
void check_exists(const std::string& path, const char* use, const char* file) {
  if (std::filesystem::exists(path)) return;
  throw Error("{}: is missing here, but rank 0 {} it; put {} on a disk that all ranks share", path, use, file);
}

/// Throws Error if another rank has a different file.
void check_same_file(const std::string& path, const ProcessGroup& group) {
  if (group.size() > 1) group.check_same_as_first(crc32_of_file(path), other_contents(path));
}

/// Stop and save requests, combined over all ranks so that every rank acts after the same step.
struct Requests {
  bool stop, save;
};

Requests combine_over_ranks(const Requests& own, const ProcessGroup& group) {
  const auto sums = group.sum({own.stop ? 1.0 : 0.0, own.save ? 1.0 : 0.0});
  return {sums[0] > 0, sums[1] > 0};
}

/// Warns if a step takes pairs more than once because the corpus is smaller than a step.
void warn_of_small_corpus(const Corpus& corpus, const TrainingConfig& config) {
  BatchSampler sampler(corpus, config.batch_tokens, static_cast<uint64_t>(config.seed));
  int64_t source = 0, target = 0;
  for (const int64_t index : sampler.next()) {
    source += source_tokens(corpus[index]);
    target += target_tokens(corpus[index]);
  }
  const double epochs = sampler.epochs();
  if (epochs <= 1) return;
  const auto tokens_of_epoch = static_cast<int64_t>(static_cast<double>(std::max(source, target)) / epochs);
  if (tokens_of_epoch >= config.batch_tokens) {
    log_warning(
        "the training text has {}, fewer than a step takes at least, so that each step takes it {:.1f} times; "
        "it needs more text",
        counted(corpus.size(), "pair"), epochs);
    return;
  }
  log_warning(
      "training.batch_tokens: {} are more than an epoch of the training text has, so that each step takes it {:.1f} "
      "times and has {} source and {} target tokens; give a training.batch_tokens of {} or less, for one epoch or less "
      "in each step, or more text",
      with_thousands(config.batch_tokens), epochs, with_thousands(source), with_thousands(target),
      with_thousands(tokens_of_epoch));
}

/// Such as "vocabulary of 8,000" or "vocabularies of 8,000 and 6,000".
std::string vocabulary_text(VocabularySizes sizes) {
  const std::string target = with_thousands(sizes.target());
  if (sizes.are_shared()) return "vocabulary of " + target;
  return fmt::format("vocabularies of {} and {}", with_thousands(sizes.source()), target);
}

}  // namespace

TrainingRun::TrainingRun(const Config& config, torch::Device device, const ProcessGroup& group, bool overwrite,
                         const std::string& initial_model)
    : config_(config),
      device_(device),
      directory_(config.training.directory),
      group_(group),
      progress_(config.training),
      lock_(claim_directory(overwrite)),
      tokenizers_(load_tokenizers(PreparedFiles(config.data.prepared))),
      corpus_(PreparedFiles(config.data.prepared).train, training_parts(config.data),
              special_tokens_of(config.model, tokenizers_)),
      replica_(make_model(), config.training, group,
               choose_workers(config.model, tokenizers_.sizes(), config.training, device, group)),
      recorder_(directory_, config_),
      writer_(directory_, config.training.keep_checkpoints) {
  status_.begin("starting");
  const auto seed = static_cast<uint64_t>(config.training.seed);
  if (config.data.all_caps || config.data.title_case) letter_cases_.emplace(corpus_, tokenizers_, config.data, seed);
  if (config.data.sampling_alpha) {
    segmentations_.emplace(training_pairs(), tokenizers_, *config.data.sampling_alpha, config.data.max_length, seed);
  }
  if (!config_.data.valid.empty() && group.is_first()) validator_.emplace(config_, tokenizers_);
  group.check_same_as_first(static_cast<double>(corpus_.checksum()), other_contents(config_.data.prepared));
  resume_or_initialize(overwrite, initial_model);
  state_.corpus_checksum = corpus_.checksum();
  set_up_process(config_.training);
  device_tokens_ = choose_device_tokens(replica_.model, corpus_, config_.training, group,
                                        memory_for_rank(device, group), replica_.workers.size());
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

void TrainingRun::resume_or_initialize(bool overwrite, const std::string& initial_model) {
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
    TORCH_CHECK(!initial_model.empty(), "a run with training.init_from needs the file that it names");
    if (!group_.is_first()) check_exists(initial_model, "starts with", "it");
    init_from(initial_model);
    check_same_file(initial_model, group_);
    log_info("starting with the parameters of {}", initial_model);
  }
}

std::optional<Checkpoint> TrainingRun::newest_checkpoint() const {
  std::optional<Checkpoint> newest;
  if (group_.is_first()) newest = directory_.newest_checkpoint();
  const auto step = static_cast<int64_t>(
      group_.broadcast_from_first(newest ? static_cast<double>(newest->state.step) : kNoCheckpoint));
  if (group_.is_first() || step == kNoCheckpoint) return newest;
  const std::string path = directory_.checkpoint(step);
  check_exists(path, "resumes from", "training.directory");
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
  set_parameters(*replica_.model, checkpoint.model.parameters, path);
  replica_.optimizer.set_state(checkpoint.optimizer, path);
  if (replica_.moving_average) replica_.moving_average->set_state(checkpoint.moving_average, path);
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
  set_parameters(*replica_.model, file.parameters, path);
  check_finite(file.parameters, path);
  if (replica_.moving_average) replica_.moving_average->set_state(file.parameters, path);
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
    take_steps();
    finish_saving();
  } catch (...) {
    record_failure();
    throw;
  }
  if (!group_.is_first()) return;
  recorder_.end(is_finished(state_, config_.training) ? RunStatus::finished : RunStatus::stopped);
}

void TrainingRun::take_steps() {
  const TrainingConfig& config = config_.training;
  Trainer trainer(replica_, {corpus_, config.batch_tokens, static_cast<uint64_t>(config.seed), state_.position},
                  training_pairs(), config, device_use(device_, device_tokens_), state_);
  const bool validates = !config_.data.valid.empty();
  const auto wants_to_stop = [&] { return stop_requested() || is_time_up(config); };
  const auto any_rank_stops = [&] { return combine_over_ranks({.stop = wants_to_stop(), .save = false}, group_).stop; };
  saved_step_ = state_.step;
  last_save_ = Clock::now();
  replica_.model->train();
  set_stop_message("stopping after this step");
  show_status();

  bool stop = any_rank_stops();
  while (!is_finished(state_, config) && !stop) {
    // 1. Launch a step, and read the results of earlier ones without letting a GPU wait for the host.
    trainer.launch_step();
    complete_steps(trainer, trainer.steps_ahead());

    // 2. Log the loss.
    if (is_log_due(state_, config)) {
      complete_steps(trainer, 0);
      log_steps(trainer.learning_rate_of_last_step());
    }

    // 3. Validate.
    if (validates && is_validation_due(state_, config)) {
      complete_steps(trainer, 0);
      validate();
    }

    // 4. Write a checkpoint and stop, each if it is time or if a signal to any rank asks for it.
    const bool save_is_due = is_checkpoint_due(state_, config, seconds_since(last_save_)) || save_requested();
    const Requests requests = combine_over_ranks({.stop = wants_to_stop(), .save = save_is_due}, group_);
    stop = requests.stop;
    if (requests.save) {
      complete_steps(trainer, 0);
      save();
      stop = any_rank_stops();  // also if the signal came while the checkpoint was written
    }
  }
  complete_steps(trainer, 0);
  if (state_.step != saved_step_) save();
}

SentencePairs& TrainingRun::training_pairs() {
  if (segmentations_) return *segmentations_;
  if (letter_cases_) return *letter_cases_;
  return corpus_;
}

void TrainingRun::complete_steps(Trainer& trainer, int64_t max_running) {
  while (trainer.num_running() > max_running) {
    const CompletedStep completed = trainer.complete_step();
    writer_.check();
    progress_.add_step(completed.result.target_tokens, completed.seconds);
    progress_.set_epochs(state_.step, state_.epochs);
    show_status();
    trainer.check_loss(completed, directory_);
  }
}

void TrainingRun::log_beginning() const {
  const Precision precision = precision_on(device_.is_cuda(), config_.training.precision);
  log_info("{} parameters, {}, {}; steps of {} tokens in micro-batches of {} on {} ({}{}{}{})",
           with_thousands(num_parameters(config_.model, tokenizers_.sizes())), counted(corpus_.size(), "pair"),
           vocabulary_text(tokenizers_.sizes()), with_thousands(config_.training.batch_tokens),
           with_thousands(device_tokens_), device_.str(), counted(at::get_num_threads(), "thread"),
           replica_.workers.size() > 1 ? fmt::format(", {} workers", replica_.workers.size()) : "",
           group_.size() > 1 ? fmt::format(", {} ranks", group_.size()) : "",
           config_.training.precision == Precision::automatic ? fmt::format(", in {}", name_of(precision)) : "");
  if (group_.is_first()) warn_of_small_corpus(corpus_, config_.training);
}

void TrainingRun::log_steps(double learning_rate) {
  if (state_.since_log.target_tokens == 0) return;  // all steps were skipped
  const StepSums sums = std::exchange(state_.since_log, {});
  if (!group_.is_first()) return;
  const ActivityScope logging(group_, Activity::unlimited);  // files on a slow disk may take any time
  const double loss = sums.loss_per_token(), perplexity = sums.perplexity();
  const double speed = static_cast<double>(sums.target_tokens) / sums.seconds;
  const double seconds_left = progress_.seconds_left(state_.step);
  log_info("step {}  loss {:.4f}  perplexity {}  learning rate {:.2e}  {} target tokens/s  {}{}",
           with_thousands(state_.step), loss, perplexity_text(perplexity), learning_rate,
           with_thousands(static_cast<int64_t>(speed)), human_duration(state_.seconds),
           seconds_left > 0 ? fmt::format(", {} left", human_duration(seconds_left)) : "");
  recorder_.write_metrics({state_.step,
                           {{"loss", loss},
                            {"perplexity", perplexity},
                            {"learning_rate", learning_rate},
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

void TrainingRun::validate() {
  const auto start = Clock::now();
  set_stop_message("stopping after this validation");
  group_.set_activity(Activity::unlimited, fmt::format("the validation after step {}", with_thousands(state_.step)));
  status_.begin(fmt::format("step {}  validating", with_thousands(state_.step)));
  const double value = group_.broadcast_from_first(group_.is_first() ? value_of_validation() : 0.0);
  progress_.set_validation_seconds(seconds_since(start));
  show_status();
  set_stop_message("stopping after this step");
  if (state_.validations.add(value, config_.training) && group_.is_first()) save_best();
  replica_.model->train();  // validation leaves it in evaluation mode
}

double TrainingRun::value_of_validation() {
  std::optional<MovingAverage::Scope> average_as_parameters;
  if (replica_.moving_average) average_as_parameters.emplace(*replica_.moving_average);
  const auto [metrics, samples] = validator_->validate(replica_.model, device_tokens_, state_.step);
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
  clear_save_request();  // also one that came meanwhile: this checkpoint fulfils it
  last_save_ = Clock::now();
  saved_step_ = state_.step;
}

void TrainingRun::begin_checkpoint() {
  if (!group_.is_first()) {
    if (config_.training.shard_optimizer) replica_.optimizer.state();  // sends this rank's shard
    return;
  }
  writer_.wait();  // so that memory holds one copy of the parameters at a time
  const auto& average = replica_.moving_average;
  writer_.begin({.model = model_file(copy_parameters(*replica_.model)),
                 .optimizer = replica_.optimizer.state(),
                 .moving_average = average ? average->state() : NamedTensors(),
                 .state = state_});
  recorder_.write_report();
}

void TrainingRun::save_best() {
  writer_.wait();
  const auto& average = replica_.moving_average;
  writer_.begin_best(model_file(average ? average->state() : copy_parameters(*replica_.model)));
}

void TrainingRun::finish_saving() {
  set_stop_message("stopping after this checkpoint");
  group_.set_activity(Activity::unlimited, fmt::format("the checkpoint of step {}", with_thousands(state_.step)));
  status_.begin(fmt::format("step {}  writing a checkpoint", with_thousands(state_.step)));
  writer_.wait();
  group_.barrier();
}

}  // namespace transformer

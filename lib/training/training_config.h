#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/enum_names.h"
#include "distributed/gradient_compression.h"
#include "ops/precision.h"
#include "settings/key_traits.h"

namespace transformer {

/// The shape of the learning rate over the steps; see training/learning_rate.h.
enum class Schedule { noam, inverse_sqrt, linear, cosine, constant, plateau };

template <>
struct EnumNames<Schedule> {
  static constexpr std::array names = {"noam", "inverse_sqrt", "linear", "cosine", "constant", "plateau"};
};

/// Whether the learning rate falls to 0 at `train_steps`, and so depends on it.
inline bool ends_at_zero(Schedule schedule) { return schedule == Schedule::linear || schedule == Schedule::cosine; }

/// The metric by which validations are compared, for best.safetensors, `patience` and the schedule `plateau`.
enum class ValidationMetric { loss, bleu, chrf, ter };

template <>
struct EnumNames<ValidationMetric> {
  static constexpr std::array names = {"loss", "bleu", "chrf", "ter"};
};

inline bool lower_is_better(ValidationMetric metric) {
  return metric == ValidationMetric::loss || metric == ValidationMetric::ter;
}

/// As messages show it.
inline const char* title_of(ValidationMetric metric) {
  static constexpr std::array titles = {"loss", "BLEU", "chrF", "TER"};
  return titles.at(static_cast<size_t>(metric));
}

/// The keys below `training`. The defaults are those of the paper's base model.
struct TrainingConfig {
  std::string directory = "runs/model";
  std::optional<std::string> init_from;
  int64_t train_steps = 100000;
  std::optional<int64_t> max_epochs;
  std::optional<double> max_hours;
  int64_t batch_tokens = 25000;
  std::optional<int64_t> device_tokens;
  std::optional<int64_t> workers;
  Schedule schedule = Schedule::noam;
  std::optional<double> learning_rate;
  int64_t warmup_steps = 4000;
  double learning_rate_scale = 1.0;
  double plateau_factor = 0.5;
  int64_t plateau_patience = 3;
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-9;
  double weight_decay = 0.0;
  double eps_ls = 0.1;
  Precision precision = Precision::fp32;
  bool tf32 = true;
  bool cpu_kernels = true;
  GradientCompression gradient_compression = GradientCompression::none;
  bool shard_optimizer = false;
  int64_t seed = 1;
  int64_t log_every = 100;
  std::optional<int64_t> validate_every = 1000;
  std::optional<int64_t> checkpoint_every;
  std::optional<double> checkpoint_minutes = 10.0;
  int64_t keep_checkpoints = 20;
  std::optional<double> ema_decay;
  ValidationMetric best_by = ValidationMetric::loss;
  std::optional<int64_t> patience;
  std::optional<double> gradient_clip;
  bool tensorboard = true;
};

/// The config of a training that takes its `train_steps` steps without validations, checkpoints or an early end.
inline TrainingConfig steps_only(TrainingConfig config) {
  config.validate_every.reset();
  config.checkpoint_every.reset();
  config.checkpoint_minutes.reset();
  config.max_epochs.reset();
  config.max_hours.reset();
  config.patience.reset();
  return config;
}

template <class Visitor>
void visit_fields(Visitor& visit, TrainingConfig& c) {
  visit("directory", c.directory, {.may_change = true}, "run directory");
  visit("init_from", c.init_from, {.may_change = true},
        "model file or run directory whose parameters and vocabulary initialize a new run; null: random parameters");
  visit("train_steps", c.train_steps, {.range = at_least(1), .may_change = true},
        "number of updates of the parameters (§5.2)");
  visit("max_epochs", c.max_epochs, {.range = at_least(1), .may_change = true},
        "passes through the corpus after which training ends earlier; null: no such limit");
  visit("max_hours", c.max_hours, {.range = above(0), .may_change = true},
        "hours after which this process saves a checkpoint and stops, to be resumed later; null: never");
  visit("batch_tokens", c.batch_tokens, {.range = kTokenCount},
        "source tokens and target tokens, each, in a step over all devices (§5.1)");
  visit("device_tokens", c.device_tokens, {.range = kTokenCount, .may_change = true},
        "source or target tokens of a micro-batch; null: as many as fit into the device's memory");
  visit("workers", c.workers, {.range = from_to(1, 1024), .may_change = true},
        "CPUs only: how many micro-batches are computed side by side, with an equal share of the threads each; null: "
        "one for each thread, or fewer if memory is scarce");
  visit("schedule", c.schedule, "learning-rate schedule; noam: Equation 3 (§5.3)");
  visit("learning_rate", c.learning_rate, {.range = above(0)},
        "peak learning rate; null with the schedule noam, whose peak follows from d_model and warmup_steps");
  visit("warmup_steps", c.warmup_steps, {.range = at_least(0)},
        "steps during which the learning rate increases (§5.3)");
  visit("learning_rate_scale", c.learning_rate_scale, {.range = above(0)}, "noam only: factor on Equation 3");
  visit("plateau_factor", c.plateau_factor, {.range = kFraction},
        "plateau only: factor by which the learning rate is multiplied when validations stop improving");
  visit("plateau_patience", c.plateau_patience, {.range = at_least(1)},
        "plateau only: number of validations without a better one after which the learning rate is multiplied by "
        "plateau_factor");
  visit("beta1", c.beta1, {.range = kProbability}, "Adam's decay rate of the first moments (§5.3)");
  visit("beta2", c.beta2, {.range = kProbability}, "Adam's decay rate of the second moments (§5.3)");
  visit("epsilon", c.epsilon, {.range = above(0)}, "Adam's epsilon (§5.3)");
  visit("weight_decay", c.weight_decay, {.range = at_least(0)}, "decoupled weight decay (AdamW); not in the paper");
  visit("eps_ls", c.eps_ls, {.range = kProbability}, "label smoothing (§5.4)");
  visit("precision", c.precision, "data type of matrix products; parameters and Adam's moments are always fp32");
  visit("tf32", c.tf32, {.may_change = true},
        "GPUs, fp32 only: round the factors of matrix products to TF32 (10 bits of mantissa)");
  visit("cpu_kernels", c.cpu_kernels, {.may_change = true},
        "use this program's own kernels on a CPU; false: LibTorch's operators alone");
  visit("gradient_compression", c.gradient_compression, "data type in which ranks exchange gradients; none: their own");
  visit("shard_optimizer", c.shard_optimizer, {.may_change = true}, "shard Adam's moments over the ranks (ZeRO-1)");
  visit("seed", c.seed, "seed of the initial parameters, the batches and the dropout");
  visit("log_every", c.log_every, {.range = at_least(1), .may_change = true}, "steps between two log lines");
  visit("validate_every", c.validate_every, {.range = at_least(1), .may_change = true},
        "steps between two validations; null: none");
  visit("checkpoint_every", c.checkpoint_every, {.range = at_least(1), .may_change = true},
        "steps between two checkpoints; null: only by time");
  visit("checkpoint_minutes", c.checkpoint_minutes, {.range = above(0), .may_change = true},
        "minutes between two checkpoints; null: only by steps");
  visit("keep_checkpoints", c.keep_checkpoints, {.range = at_least(1), .may_change = true},
        "number of newest checkpoints to keep");
  visit("ema_decay", c.ema_decay, {.range = kFraction},
        "decay rate of an exponential moving average of the parameters, such as 0.9999; null: none");
  visit("best_by", c.best_by, {.may_change = true},
        "metric that decides which validation is better; used for best.safetensors, patience and plateau");
  visit("patience", c.patience, {.range = at_least(1), .may_change = true},
        "number of validations without a better one after which training ends; null: never");
  visit("gradient_clip", c.gradient_clip, {.range = above(0)}, "maximum norm of the gradient; null: no clipping");
  visit("tensorboard", c.tensorboard, {.may_change = true}, "write event files for TensorBoard");
}

}  // namespace transformer

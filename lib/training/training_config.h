#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/fields.h"
#include "distributed/gradient_compression.h"
#include "ops/precision.h"

namespace transformer {

struct TrainingConfig {
  std::string directory = "runs/model";
  int64_t train_steps = 100000;
  int64_t batch_tokens = 25000;
  std::optional<int64_t> device_tokens;
  int64_t warmup_steps = 4000;
  double learning_rate_scale = 1.0;
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-9;
  double eps_ls = 0.1;
  Precision precision = Precision::fp32;
  bool fused_kernels = true;
  GradientCompression gradient_compression = GradientCompression::none;
  bool shard_optimizer = false;
  int64_t seed = 1;
  int64_t log_every = 100;
  std::optional<int64_t> validate_every = 1000;
  std::optional<int64_t> checkpoint_every;
  std::optional<double> checkpoint_minutes = 10.0;
  int64_t keep_checkpoints = 20;
  std::optional<int64_t> patience;
  std::optional<double> gradient_clip;
};

template <class Visitor>
void visit_fields(Visitor& visit, TrainingConfig& c) {
  visit("directory", c.directory, "the run directory");
  visit("train_steps", c.train_steps, "updates of the parameters (5.2)");
  visit("batch_tokens", c.batch_tokens, "source tokens and target tokens in a step, each, over all devices (5.1)");
  visit("device_tokens", c.device_tokens,
        "source or target tokens that a device takes at once; null: fitted to its memory");
  visit("warmup_steps", c.warmup_steps, "steps of rising learning rate (5.3)");
  visit("learning_rate_scale", c.learning_rate_scale, "factor on equation 3");
  visit("beta1", c.beta1, "Adam (5.3)");
  visit("beta2", c.beta2, "Adam (5.3)");
  visit("epsilon", c.epsilon, "Adam (5.3)");
  visit("eps_ls", c.eps_ls, "label smoothing (5.4)");
  visit("precision", c.precision, "of matrix products; parameters and moments are fp32 in either case");
  visit("fused_kernels", c.fused_kernels, "this program's own kernels on a CPU; false: LibTorch's operations alone");
  visit("gradient_compression", c.gradient_compression, "of what several ranks send each other");
  visit("shard_optimizer", c.shard_optimizer,
        "each of several ranks keeps a share of the optimizer's moments (ZeRO-1)");
  visit("seed", c.seed, "of the initial parameters, the batches and the dropout");
  visit("log_every", c.log_every, "steps between two lines of metrics");
  visit("validate_every", c.validate_every, "steps between two validations; null: none");
  visit("checkpoint_every", c.checkpoint_every, "steps between two checkpoints; null: by time alone");
  visit("checkpoint_minutes", c.checkpoint_minutes, "minutes between two checkpoints; null: by steps alone");
  visit("keep_checkpoints", c.keep_checkpoints, "checkpoints that stay, the newest");
  visit("patience", c.patience, "validations without a better loss after which training ends; null: never");
  visit("gradient_clip", c.gradient_clip, "largest norm of the gradient; null: none");
}

}  // namespace transformer

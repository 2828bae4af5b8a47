#pragma once

#include <vector>

#include "step_batch.h"
#include "tensors.h"
#include "tiny_model.h"
#include "training/due.h"
#include "training/learning_rate.h"
#include "training/trainer.h"

namespace transformer {

inline TrainingConfig quick_config() {
  TrainingConfig config;
  config.batch_tokens = 400;
  config.warmup_steps = 10;
  config.log_every = 1;
  return config;
}

/// Takes the next step and checks its loss, in a run without checkpoints.
inline CompletedStep take_step(Trainer& trainer) {
  trainer.launch_step();
  CompletedStep completed = trainer.complete_step();
  trainer.check_loss(completed, RunFiles("no-run"));
  return completed;
}

/// A tiny model in a world of one rank, with its optimizer and all that training needs.
struct Trainee {
  static constexpr int32_t kVocabulary = 30;

  explicit Trainee(const TrainingConfig& training, double P_drop = 0.0, torch::Dtype type = torch::kFloat)
      : Trainee(training, with_dropout(tiny_config(), P_drop), type) {}
  Trainee(const TrainingConfig& training, const ModelConfig& architecture, torch::Dtype type = torch::kFloat,
          int32_t vocabulary_size = kVocabulary, torch::Device device = torch::kCPU, int num_workers = 1)
      : config(training),
        replica(make_model(architecture, type, vocabulary_size, device), config, alone, num_workers) {}

  static ModelConfig with_dropout(ModelConfig architecture, double P_drop) {
    architecture.P_drop = P_drop;
    return architecture;
  }
  static Transformer make_model(const ModelConfig& architecture, torch::Dtype type, int32_t vocabulary_size,
                                torch::Device device) {
    Transformer made = tiny_model(architecture, vocabulary_size);
    made->to(device, type);
    made->train();
    return made;
  }

  /// One step with these micro-batches.
  StepResult step(const Corpus& corpus, const std::vector<std::vector<int64_t>>& micro_batches, int64_t number) {
    return launch(corpus, micro_batches, number).wait(alone);
  }
  LaunchedStep launch(const Corpus& corpus, const std::vector<std::vector<int64_t>>& micro_batches, int64_t number) {
    return train_step_with_retry(replica, corpus, step_batch_of(corpus, micro_batches), config, number,
                                 learning_rate(config, model->config().d_model, number, 0));
  }
  Trainer trainer(Corpus& corpus, const DeviceUse& use) {
    return {replica, {corpus, config.batch_tokens, static_cast<uint64_t>(config.seed), state.position},
            corpus,  config,
            use,     state};
  }
  /// Trains up to step `steps` and adds the mean loss of each step to `losses`.
  void train(Corpus& corpus, int64_t steps, int64_t device_tokens) {
    config.train_steps = steps;
    Trainer training = trainer(corpus, {device_tokens});
    while (!is_finished(state, config)) losses.push_back(take_step(training).result.loss_per_token());
  }

  TrainingConfig config;
  ProcessGroup alone{Membership()};
  Replica replica;
  Transformer& model = replica.model;
  Workers& workers = replica.workers;
  Adam& optimizer = replica.optimizer;
  DistributedDataParallel& parallel = replica.parallel;
  TrainingState state;
  std::vector<double> losses;
};

}  // namespace transformer

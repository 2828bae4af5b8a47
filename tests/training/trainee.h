#pragma once

#include <vector>

#include "step_batch.h"
#include "tensors.h"
#include "tiny_model.h"
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

/// A tiny model in a world of one rank, with its optimizer and all that training needs.
struct Trainee {
  static constexpr int32_t kVocabulary = 30;

  explicit Trainee(const TrainingConfig& training, double P_drop = 0.0, torch::Dtype type = torch::kFloat)
      : Trainee(training, with_dropout(tiny_config(), P_drop), type) {}
  Trainee(const TrainingConfig& training, const ModelConfig& architecture, torch::Dtype type = torch::kFloat,
          int32_t vocabulary_size = kVocabulary, torch::Device device = torch::kCPU)
      : config(training),
        model(make_model(architecture, type, vocabulary_size, device)),
        optimizer(*model, {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9}) {}

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

  Replica replica() { return {model, optimizer, parallel}; }
  /// One step with these micro-batches.
  StepResult step(const Corpus& corpus, const std::vector<std::vector<int64_t>>& micro_batches, int64_t number) {
    return launch(corpus, micro_batches, number).wait(alone);
  }
  LaunchedStep launch(const Corpus& corpus, const std::vector<std::vector<int64_t>>& micro_batches, int64_t number) {
    return train_step_with_retry(replica(), corpus, step_batch_of(corpus, micro_batches), config, number,
                                 learning_rate(config, model->config().d_model, number, 0));
  }
  /// Trains up to step `steps` and adds the mean loss of each call of the log hook to `losses`.
  void train(const Corpus& corpus, int64_t steps, int64_t device_tokens) {
    config.train_steps = steps;
    transformer::train(replica(), corpus, config, {device_tokens}, state,
                       {.log = [&](const StepSums& sums, double) { losses.push_back(sums.loss_per_token()); },
                        .validate = [] { return 0.0; },
                        .save = [&] { ++saves; }});
  }

  TrainingConfig config;
  Transformer model;
  Adam optimizer;
  ProcessGroup alone{Membership()};
  DistributedDataParallel parallel{*model, alone};
  TrainingState state;
  std::vector<double> losses;
  int saves = 0;
};

}  // namespace transformer

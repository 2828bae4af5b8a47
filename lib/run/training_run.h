#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/directory_lock.h"
#include "base/status_line.h"
#include "config/config.h"
#include "data/corpus.h"
#include "data/letter_case_sampler.h"
#include "data/segmentation_sampler.h"
#include "run/run_recorder.h"
#include "run/validator.h"
#include "text/tokenizers.h"
#include "training/checkpoint_writer.h"
#include "training/due.h"
#include "training/replica.h"
#include "training/run_directory.h"
#include "training/trainer.h"
#include "training/training_progress.h"

namespace transformer {

/// A training run with its run directory and prepared corpus: the training loop, with validation, metrics, report and
/// checkpoints.
class TrainingRun {
 public:
  /// Locks the run directory for the ranks of `group` and resumes the run at its newest intact checkpoint, or starts a
  /// new run if there is none; `overwrite` removes an existing run first. With `training.init_from`, a new run begins
  /// with the parameters of `initial_model`, which rank 0 has found (find_initial_model). Only rank 0 writes files.
  /// Throws Error if another process trains in the directory, if the checkpoint does not fit the config or the corpus,
  /// or if the ranks see different files.
  TrainingRun(const Config& config, torch::Device device, const ProcessGroup& group, bool overwrite,
              const std::string& initial_model = "");

  /// Trains until training is finished (is_finished), training.max_hours are over, or a stop is requested. The last
  /// checkpoint is complete when it returns.
  void train();

  const TrainingState& state() const { return state_; }

 private:
  /// A new model. Throws Error if there is too little memory to train it.
  Transformer make_model() const;
  /// Rank 0 locks and initializes the run directory while the other ranks wait.
  std::optional<DirectoryLock> claim_directory(bool overwrite) const;
  /// Takes parameters and state of the newest checkpoint, or for a new run the parameters of `initial_model`, if any.
  void resume_or_initialize(bool overwrite, const std::string& initial_model);
  /// The newest checkpoint that rank 0 finds intact, on every rank.
  std::optional<Checkpoint> newest_checkpoint() const;
  void restore(const Checkpoint& checkpoint, const std::string& path);
  /// Takes the parameters of a model file.
  void init_from(const std::string& path);
  /// Removes the files of an existing run, if `overwrite`, and begins those of this run: call it when nothing is wrong
  /// with the new run.
  void begin_records(bool overwrite);
  /// The training loop.
  void take_steps();
  /// Waits for the oldest running steps, until no more than `max_running` are running.
  void complete_steps(Trainer& trainer, int64_t max_running);
  void log_beginning() const;
  /// What the steps read: the corpus, or what letter_cases_ and segmentations_ make of it.
  SentencePairs& training_pairs();
  /// Logs the sums over the steps since the last call, also if training was resumed in between.
  void log_steps(double learning_rate);
  void show_status();
  /// Rank 0 validates the model, and keeps it if it is the best so far; all ranks remember the value.
  void validate();
  /// The value of `training.best_by`.
  double value_of_validation();
  ModelFile model_file(NamedTensors parameters) const;
  /// Copies the state of training on every rank; rank 0 then writes it in the background.
  void save();
  void begin_checkpoint();
  void save_best();
  void finish_saving();

  Config config_;
  torch::Device device_;
  RunDirectory directory_;
  const ProcessGroup& group_;
  StatusLine status_;
  TrainingProgress progress_;
  std::optional<DirectoryLock> lock_;  // held by rank 0
  Tokenizers tokenizers_;
  Corpus corpus_;
  std::optional<LetterCaseSampler> letter_cases_;     // of the corpus, with `data.all_caps` or `data.title_case`
  std::optional<SegmentationSampler> segmentations_;  // with `data.sampling_alpha`
  std::optional<Validator> validator_;                // of rank 0, with validation text
  Replica replica_;
  int64_t device_tokens_ = 0;
  TrainingState state_;
  int64_t saved_step_ = 0;  // of the latest checkpoint
  Clock::time_point last_save_;
  RunRecorder recorder_;
  CheckpointWriter writer_;
};

}  // namespace transformer

#pragma once

#include <memory>
#include <optional>

#include "base/directory_lock.h"
#include "config/config.h"
#include "data/corpus.h"
#include "data/tokenizer.h"
#include "reporting/metrics.h"
#include "reporting/report.h"
#include "training/run_directory.h"
#include "training/trainer.h"

namespace transformer {

/// One run of training, from its directory and prepared corpus: joins the trainer, which knows neither text nor files,
/// with validation, metrics, report and checkpoints.
class TrainingRun {
 public:
  /// Takes the run directory for the ranks of `group` and goes on where its newest sound checkpoint stands, or begins;
  /// with `overwrite` the run that is there is removed. Only the first rank writes. Throws Error where another process
  /// trains there or the checkpoint does not fit.
  TrainingRun(const Config& config, torch::Device device, const ProcessGroup& group, bool overwrite);

  /// Until the last step, the end of patience, or a stop signal.
  void train();

  const TrainingState& state() const { return state_; }

 private:
  /// What the first rank does before the others look at the run directory.
  std::optional<DirectoryLock> claim_directory(bool overwrite) const;
  void restore(const Checkpoint& checkpoint, const std::string& path);
  void log_beginning() const;
  void log_step(const StepResult& sum, double rate, double seconds);
  double validate();
  void save();
  void write_report() const;

  Config config_;
  torch::Device device_;
  RunDirectory directory_;
  const ProcessGroup& group_;
  std::optional<DirectoryLock> lock_;  // the first rank's
  Tokenizer tokenizer_;
  Corpus corpus_;
  std::optional<Corpus> valid_corpus_;
  std::vector<std::string> valid_source_, valid_target_;  // lines of text
  Transformer model_;
  Adam optimizer_;
  DataParallel parallel_;
  int64_t device_tokens_ = 0;
  TrainingState state_;
  MetricsFile metrics_;
  std::vector<SampleTranslation> samples_;  // of the latest validation
};

/// Throws Error that says what differs where the run directory holds a run with another config.
void check_run_directory(const Config& config);

}  // namespace transformer

#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "config/config.h"
#include "model/run_files.h"
#include "reporting/event_file.h"
#include "reporting/metrics.h"
#include "reporting/run_facts.h"
#include "reporting/sample_translations.h"

namespace transformer {

/// Writes what is known about a training run into its directory: metrics.jsonl, samples.jsonl, run.json, report.html
/// and TensorBoard's events. Only rank 0 calls its functions, `begin` first. They throw Error if a file cannot
/// be written.
class RunRecorder {
 public:
  /// The report shows `config` as it is when the report is written. `config` must outlive this object.
  RunRecorder(RunFiles directory, const Config& config) : directory_(std::move(directory)), config_(config) {}

  /// Drops the metrics and samples of the steps after `step`, which a resumed run takes again, and writes run.json with
  /// these facts and the status "running".
  void begin(const RunFacts& facts, int64_t step);

  /// Appends a line to the metrics and to TensorBoard's events.
  void write_metrics(const MetricsLine& line);
  /// `write_metrics`, for a validation; also appends its samples and writes the report.
  void write_validation(const MetricsLine& line, const ValidationSamples& samples);

  /// Writes run.json and, if there are metrics, the report.
  void write_report();
  /// Sets the status with which the run ends, and writes the report.
  void end(RunStatus status);
  /// `end` with the status "failed". Does not throw, so that the error that ended the run is the one that is reported.
  void end_after_failure() noexcept;

 private:
  RunFiles directory_;
  const Config& config_;
  RunFacts facts_;
  std::optional<EventFile> events_;
};

}  // namespace transformer

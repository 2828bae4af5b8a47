#pragma once

#include <cstdint>
#include <functional>
#include <future>

#include "training/run_directory.h"

namespace transformer {

/// Writes the checkpoints of a run in a second thread, so that training continues meanwhile. At most one is being
/// written at a time.
class CheckpointWriter {
 public:
  /// Removes all but the newest `keep` checkpoints whenever one has been written.
  CheckpointWriter(RunDirectory directory, int64_t keep) : directory_(std::move(directory)), keep_(keep) {}

  /// Begins to write a checkpoint, whose tensors must not change any more; waits first for the previous one. Throws
  /// Error if that could not be written or if the disk has too little space for this one.
  void begin(Checkpoint checkpoint);
  /// Begins to write the model of the best validation (RunDirectory::best); waits and throws as `begin` does.
  void begin_best(ModelFile model);
  /// Throws Error if writing has failed, without waiting for it.
  void check();
  /// Waits until the checkpoint is written. Throws Error if that fails.
  void wait();

 private:
  void begin_writing(int64_t bytes, std::function<void()> write);

  RunDirectory directory_;
  int64_t keep_;
  std::future<void> writing_;  // its destructor waits
};

}  // namespace transformer

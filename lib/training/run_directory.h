#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/directory_lock.h"
#include "model/run_files.h"
#include "training/checkpoint.h"

namespace transformer {

/// The directory of one training run, with what training does to its files. Damaged checkpoints are set aside as
/// `checkpoints/step-00010000.safetensors.skipped`, and metrics or samples with damaged lines are copied to
/// `metrics.jsonl.damaged` or `samples.jsonl.damaged` before those lines are dropped.
class RunDirectory : public RunFiles {
 public:
  using RunFiles::RunFiles;

  /// Loads the newest intact checkpoint; warns about damaged ones and skips them. Returns std::nullopt if there are no
  /// checkpoints, and throws Error if all of them are damaged.
  std::optional<Checkpoint> newest_checkpoint() const;

  /// Writes the checkpoint, and prunes.
  void save(const Checkpoint& checkpoint, int64_t keep) const;
  /// Removes all but the newest `keep` checkpoints of `step` and earlier steps. Checkpoints of later steps, which are
  /// damaged, since the run resumes before them, are renamed to end in ".skipped".
  void prune(int64_t step, int64_t keep) const;

  /// Renames best.safetensors, if there is one, to end in ".skipped": the best model of a run without checkpoints,
  /// which begins again. The caller holds the lock.
  void set_aside_best() const;
  /// Renames averaged.safetensors, if there is one, to end in ".skipped": the mean of the checkpoints of a run that was
  /// removed.
  void set_aside_averaged() const;

  /// Creates the directory if it does not exist, and locks it. Throws Error if another process has locked it.
  DirectoryLock lock() const;
  /// Removes the partly written files of a run that was killed, but not those of other programs, which may be writing
  /// an averaged model or translations into this directory. The caller holds the lock.
  void remove_leftovers() const;
  /// Removes the files of this run, also those set aside because they were damaged, but no other files in the
  /// directory. The caller holds the lock.
  void clear() const;

 private:
  /// Renames the file, if there is one, to end in ".skipped", with a warning that says what it is.
  static void set_aside(const std::optional<std::string>& file, const std::string& what);
  /// The run's files except checkpoints and TensorBoard's.
  std::vector<std::string> text_files() const;
};

}  // namespace transformer

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/directory_lock.h"
#include "training/checkpoint.h"

namespace transformer {

/// The run directory if the file is, or would be, in its directory of checkpoints.
std::optional<std::string> run_of_checkpoint(const std::string& file);

/// The files of one training run: `config.yaml`, `checkpoints/step-00010000.pt`, `checkpoints/best.pt`,
/// `metrics.jsonl`, `samples.jsonl`, `run.json`, `report.html`, `train.log`, and TensorBoard's event files in
/// `tensorboard/`. Damaged checkpoints are set aside as `checkpoints/step-00010000.pt.skipped`, and metrics or samples
/// with damaged lines are copied to `metrics.jsonl.damaged` or `samples.jsonl.damaged` before those lines are dropped.
class RunDirectory {
 public:
  explicit RunDirectory(std::string path) : path_(std::move(path)) {}

  std::string path() const { return path_; }
  std::string config() const { return path_ + "/config.yaml"; }
  std::string metrics() const { return path_ + "/metrics.jsonl"; }
  std::string samples() const { return path_ + "/samples.jsonl"; }
  std::string facts() const { return path_ + "/run.json"; }
  std::string report() const { return path_ + "/report.html"; }
  std::string tensorboard() const { return path_ + "/tensorboard"; }
  std::string log() const { return path_ + "/train.log"; }
  std::string checkpoint(int64_t step) const;
  /// The mean of checkpoints, if the user has let `transformer average-checkpoints` write it here.
  std::string averaged() const { return path_ + "/averaged.pt"; }
  /// The model of the best validation, without the state of training.
  std::string best() const { return checkpoints_directory() + "/best.pt"; }

  /// The paths of all checkpoints, oldest first: the regular files whose names are a checkpoint's (checkpoint_name).
  std::vector<std::string> checkpoints() const;

  /// The path of the newest checkpoint of `step` or an earlier step, damaged or not.
  std::optional<std::string> newest_checkpoint_up_to(int64_t step) const;

  /// Loads the newest intact checkpoint; warns about damaged ones and skips them. Returns std::nullopt if there are no
  /// checkpoints, and throws Error if all of them are damaged.
  std::optional<Checkpoint> newest_checkpoint() const;

  /// Writes the checkpoint, and prunes.
  void save(const Checkpoint& checkpoint, int64_t keep) const;
  /// Removes all but the newest `keep` checkpoints of `step` and earlier steps. Checkpoints of later steps, which are
  /// damaged, since the run resumes before them, are renamed to end in ".skipped".
  void prune(int64_t step, int64_t keep) const;

  /// Renames best.pt, if there is one, to end in ".skipped": the best model of a run without checkpoints, which begins
  /// again. The caller holds the lock.
  void set_aside_best() const;
  /// Renames averaged.pt, if there is one, to end in ".skipped": the mean of the checkpoints of a run that was removed.
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
  std::string checkpoints_directory() const;
  /// Renames the file to end in ".skipped", with a warning that says what it is; does nothing if there is no such file.
  static void set_aside(const std::string& file, const std::string& what);
  /// The run's files except checkpoints and TensorBoard's.
  std::vector<std::string> text_files() const;

  std::string path_;
};

}  // namespace transformer

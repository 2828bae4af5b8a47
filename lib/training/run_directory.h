#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/directory_lock.h"
#include "training/checkpoint.h"

namespace transformer {

/// The files of one training run: `config.yaml`, `checkpoints/step-00010000.pt`, `metrics.jsonl`, `report.html`,
/// `train.log`.
class RunDirectory {
 public:
  explicit RunDirectory(std::string path) : path_(std::move(path)) {}

  std::string path() const { return path_; }
  std::string config() const { return path_ + "/config.yaml"; }
  std::string metrics() const { return path_ + "/metrics.jsonl"; }
  std::string report() const { return path_ + "/report.html"; }
  std::string log() const { return path_ + "/train.log"; }
  std::string checkpoint(int64_t step) const;

  /// Paths, oldest first.
  std::vector<std::string> checkpoints() const;

  /// The newest checkpoint that is sound; damaged ones are named in warnings and passed over.
  /// Throws Error where there are checkpoints but none is sound.
  std::optional<Checkpoint> newest_checkpoint() const;

  /// Writes it and removes all but the newest `keep`, and those of later steps, which damage made useless.
  void save(const Checkpoint& checkpoint, int64_t keep) const;

  /// Creates the directory where it is not there, and holds it against other processes. Throws Error where one trains
  /// there.
  DirectoryLock lock() const;
  /// Removes what a killed run left half-written. Needs the lock.
  void remove_leftovers() const;
  /// Removes this run's files, and nothing else that lies there. Needs the lock.
  void clear() const;

 private:
  std::string checkpoints_directory() const { return path_ + "/checkpoints"; }

  std::string path_;
};

}  // namespace transformer

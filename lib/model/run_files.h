#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace transformer {

/// The name of a checkpoint's file, such as "step-00000500.safetensors": the step with at least eight digits.
std::string checkpoint_name(int64_t step);
/// The step of a file with such a name, or with the one that older versions gave it, "step-00000500.pt"; nullopt for
/// every other name.
std::optional<int64_t> step_of_name(const std::string& path);

/// The run directory if the file is, or would be, in its directory of checkpoints.
std::optional<std::string> run_of_checkpoint(const std::string& file);

/// The regular files of a directory whose names are a checkpoint's, followed by `suffix`; oldest first.
std::vector<std::string> checkpoint_files(const std::string& directory, const std::string& suffix = "");

/// The files of one training run: `config.yaml`, `checkpoints/step-00010000.safetensors`,
/// `checkpoints/best.safetensors`, `metrics.jsonl`, `samples.jsonl`, `run.json`, `report.html`, `train.log`, and
/// TensorBoard's event files in `tensorboard/`.
class RunFiles {
 public:
  explicit RunFiles(std::string path) : path_(std::move(path)) {}

  std::string path() const { return path_; }
  std::string config() const { return path_ + "/config.yaml"; }
  std::string metrics() const { return path_ + "/metrics.jsonl"; }
  std::string samples() const { return path_ + "/samples.jsonl"; }
  std::string facts() const { return path_ + "/run.json"; }
  std::string report() const { return path_ + "/report.html"; }
  std::string tensorboard() const { return path_ + "/tensorboard"; }
  std::string log() const { return path_ + "/train.log"; }
  std::string checkpoints_directory() const;
  std::string checkpoint(int64_t step) const;
  /// The model that `transformer average-checkpoints` wrote here, if the user has called it.
  std::string averaged() const;
  /// The model of the best validation, without the state of training.
  std::string best() const;
  /// Where older versions wrote these two.
  std::string old_averaged() const { return path_ + "/averaged.pt"; }
  std::string old_best() const { return checkpoints_directory() + "/best.pt"; }
  /// The file that is there, of this version or else of an older one; nullopt if there is none.
  std::optional<std::string> existing_averaged() const;
  std::optional<std::string> existing_best() const;

  /// The paths of all checkpoints, oldest first: the regular files whose names are a checkpoint's (checkpoint_name).
  std::vector<std::string> checkpoints() const { return checkpoint_files(checkpoints_directory()); }
  /// The path of the newest checkpoint of `step` or an earlier step, damaged or not.
  std::optional<std::string> newest_checkpoint_up_to(int64_t step) const;

 private:
  std::string path_;
};

}  // namespace transformer

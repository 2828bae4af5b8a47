#include "training/checkpoint.h"

#include "base/error.h"
#include "model/run_files.h"

namespace transformer {

void check_step_of_name(const Archive& archive, const std::string& path) {
  const auto name = step_of_name(path);
  if (!name || !archive.contains("step")) return;
  const auto step = archive_entry<int64_t>(archive, "step", path);
  if (step == *name) return;
  throw DamagedFile("{}: holds step {}, which is not the step in its name; rename it or remove it", path, step);
}

Archive to_archive(const Checkpoint& checkpoint) {
  const TrainingState& state = checkpoint.state;
  Archive archive = to_archive(checkpoint.model);
  archive.emplace("optimizer", checkpoint.optimizer);
  if (!checkpoint.moving_average.empty()) archive.emplace("moving_average", checkpoint.moving_average);
  archive.emplace("step", state.step);
  archive.emplace("corpus_checksum", state.corpus_checksum);
  archive.emplace("epoch", state.position.epoch);
  archive.emplace("pool", state.position.pool);
  archive.emplace("bucket", state.position.bucket);
  archive.emplace("seconds", state.seconds);
  archive.emplace("loss_since_log", state.since_log.loss);
  archive.emplace("negative_log_likelihood_since_log", state.since_log.negative_log_likelihood);
  archive.emplace("target_tokens_since_log", state.since_log.target_tokens);
  archive.emplace("seconds_since_log", state.since_log.seconds);
  if (state.validations.best) archive.emplace("best_validation", *state.validations.best);
  archive.emplace("validations_since_best", state.validations.since_best);
  archive.emplace("validations_since_reduction", state.validations.since_reduction);
  archive.emplace("learning_rate_reductions", state.validations.num_reductions);
  archive.emplace("skipped_in_a_row", state.skipped_in_a_row);
  archive.emplace("usual_loss", state.divergence_guard.usual_loss());
  archive.emplace("high_loss_steps", state.divergence_guard.high_steps());
  return archive;
}

void save_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  save_archive(path, to_archive(checkpoint));
}

Checkpoint load_checkpoint(const std::string& path) {
  const Archive archive = load_archive(path);
  check_step_of_name(archive, path);
  Checkpoint checkpoint{.model = model_from_archive(archive, path), .optimizer = NamedTensors()};
  if (!archive.contains("optimizer")) {
    throw Error(
        "{}: is a model without the state of the optimizer, so training cannot resume from it; remove it from the run "
        "directory",
        path);
  }
  checkpoint.optimizer = archive_entry<NamedTensors>(archive, "optimizer", path);
  if (archive.contains("moving_average")) {
    checkpoint.moving_average = archive_entry<NamedTensors>(archive, "moving_average", path);
  }
  const auto number = [&](const char* name) { return archive_entry<double>(archive, name, path); };
  const auto integer = [&](const char* name) {
    const auto value = archive_entry<int64_t>(archive, name, path);
    if (value < 0) throw DamagedFile("{}: its entry '{}' is negative ({}); use another file", path, name, value);
    return value;
  };
  TrainingState& state = checkpoint.state;
  state.step = integer("step");
  state.corpus_checksum = integer("corpus_checksum");
  state.position = {integer("epoch"), integer("pool"), integer("bucket")};
  state.seconds = number("seconds");
  state.since_log = {
      {number("loss_since_log"), number("negative_log_likelihood_since_log"), integer("target_tokens_since_log")},
      number("seconds_since_log")};
  if (archive.contains("best_validation")) state.validations.best = number("best_validation");
  state.validations.since_best = integer("validations_since_best");
  state.validations.since_reduction = integer("validations_since_reduction");
  state.validations.num_reductions = integer("learning_rate_reductions");
  if (archive.contains("skipped_in_a_row")) state.skipped_in_a_row = integer("skipped_in_a_row");  // not in older files
  state.divergence_guard = {number("usual_loss"), integer("high_loss_steps")};
  return checkpoint;
}

}  // namespace transformer

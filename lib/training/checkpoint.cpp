#include "training/checkpoint.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/error.h"

namespace transformer {

std::string checkpoint_name(int64_t step) { return fmt::format("step-{:08}.pt", step); }

std::optional<int64_t> step_of_name(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  const size_t digits = name.find_first_of("0123456789");
  int64_t step = 0;
  if (digits == std::string::npos) return std::nullopt;
  const auto [end, error] = std::from_chars(name.data() + digits, name.data() + name.size(), step);
  if (error != std::errc() || name != checkpoint_name(step)) return std::nullopt;
  return step;
}

void check_step_of_name(const Archive& archive, const std::string& path) {
  const auto name = step_of_name(path);
  const auto step = archive.find("step");
  if (!name || step == archive.end() || step->second.toInt() == *name) return;
  throw DamagedFile("{}: holds step {}, which is not the step in its name; rename it or remove it", path,
                    step->second.toInt());
}

int64_t Checkpoint::bytes() const {
  size_t bytes = model.vocabulary.size();
  for (const auto* tensors : {&model.parameters, &optimizer}) {
    for (const auto& named : *tensors) bytes += named.value().nbytes();
  }
  return static_cast<int64_t>(bytes);
}

void save_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  const TrainingState& state = checkpoint.state;
  Archive archive = to_archive(checkpoint.model);
  archive.emplace("optimizer", checkpoint.optimizer);
  archive.emplace("step", state.step);
  archive.emplace("corpus_checksum", state.corpus_checksum);
  archive.emplace("epoch", state.position.epoch);
  archive.emplace("pool", state.position.pool);
  archive.emplace("group", state.position.bucket);
  archive.emplace("seconds", state.seconds);
  archive.emplace("loss_since_log", state.since_log.loss);
  archive.emplace("negative_log_likelihood_since_log", state.since_log.negative_log_likelihood);
  archive.emplace("target_tokens_since_log", state.since_log.target_tokens);
  archive.emplace("seconds_since_log", state.since_log.seconds);
  archive.emplace("best_valid_loss", state.best_valid_loss);
  archive.emplace("validations_since_best", state.validations_since_best);
  archive.emplace("usual_loss", state.divergence_guard.usual_loss());
  archive.emplace("high_loss_steps", state.divergence_guard.high_steps());
  save_archive(path, archive);
}

Checkpoint load_checkpoint(const std::string& path) {
  const Archive archive = load_archive(path);
  check_step_of_name(archive, path);
  Checkpoint checkpoint{.model = model_from_archive(archive, path), .optimizer = NamedTensors(), .state = {}};
  if (!archive.contains("optimizer")) {
    throw Error("{}: is a model without the state of the optimizer, so training cannot resume from it", path);
  }
  for (const auto& entry : archive.at("optimizer").toGenericDict()) {
    checkpoint.optimizer.insert(entry.key().toStringRef(), entry.value().toTensor());
  }
  TrainingState& state = checkpoint.state;
  const auto integer = [&](const char* name) { return archive_entry(archive, name, path).toInt(); };
  state.step = integer("step");
  state.corpus_checksum = integer("corpus_checksum");
  state.position = {integer("epoch"), integer("pool"), integer("group")};
  state.seconds = archive_entry(archive, "seconds", path).toDouble();
  if (archive.contains("loss_since_log")) {  // checkpoints of older versions have no such sums
    state.since_log = {archive.at("loss_since_log").toDouble(),
                       archive.at("negative_log_likelihood_since_log").toDouble(), integer("target_tokens_since_log"),
                       archive.at("seconds_since_log").toDouble()};
  }
  state.best_valid_loss = archive_entry(archive, "best_valid_loss", path).toDouble();
  state.validations_since_best = integer("validations_since_best");
  if (archive.contains("usual_loss")) {  // checkpoints of older versions do not have it
    state.divergence_guard = {archive.at("usual_loss").toDouble(), integer("high_loss_steps")};
  }
  return checkpoint;
}

}  // namespace transformer

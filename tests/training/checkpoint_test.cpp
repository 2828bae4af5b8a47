#include "training/checkpoint.h"

#include "base/atomic_file.h"
#include "base/directory_lock.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "tensors.h"
#include "tiny_model.h"
#include "training/optimizer.h"
#include "training/run_directory.h"

namespace transformer {
namespace {

Checkpoint checkpoint_at(int64_t step) {
  auto model = tiny_model(tiny_config());
  const Adam adam(*model, {0.9, 0.98, 1e-9});
  return {.model = {"config", {"vocabulary"}, copy_parameters(*model)},
          .optimizer = adam.state(),
          .moving_average = copy_parameters(*model),
          .state = {.step = step,
                    .corpus_checksum = 99,
                    .position = {1, 2, 3},
                    .seconds = 4.5,
                    .since_log = {{1.5, 1.25, 7}, 0.5},
                    .validations = {.best = 7.5, .since_best = 8, .since_reduction = 2, .num_reductions = 3},
                    .skipped_in_a_row = 4,
                    .divergence_guard = {2.5, 6}}};
}

}  // namespace

TEST_CASE("checkpoint restores all of a run's state") {
  const TemporaryDirectory directory;
  const Checkpoint saved = checkpoint_at(10);
  for (const auto& named : saved.moving_average) named.value().add_(0.5);
  save_checkpoint(directory / "c.pt", saved);
  const Checkpoint loaded = load_checkpoint(directory / "c.pt");
  CHECK(loaded.state.step == 10);
  CHECK(loaded.state.corpus_checksum == 99);
  CHECK(loaded.state.position.epoch == 1);
  CHECK(loaded.state.position.pool == 2);
  CHECK(loaded.state.position.bucket == 3);
  CHECK(loaded.state.seconds == 4.5);
  CHECK(loaded.state.since_log.loss == 1.5);
  CHECK(loaded.state.since_log.negative_log_likelihood == 1.25);
  CHECK(loaded.state.since_log.target_tokens == 7);
  CHECK(loaded.state.since_log.seconds == 0.5);
  CHECK(loaded.state.validations.best == 7.5);
  CHECK(loaded.state.validations.since_best == 8);
  CHECK(loaded.state.validations.since_reduction == 2);
  CHECK(loaded.state.validations.num_reductions == 3);
  CHECK(loaded.moving_average.size() == loaded.model.parameters.size());
  CHECK(loaded.state.skipped_in_a_row == 4);
  CHECK(loaded.state.divergence_guard.usual_loss() == 2.5);
  CHECK(loaded.state.divergence_guard.high_steps() == 6);
  CHECK(loaded.optimizer.size() == checkpoint_at(1).optimizer.size());
  CHECK(load_model(directory / "c.pt").config == "config");             // a checkpoint is a model file too
  const NamedTensors used = load_model(directory / "c.pt").parameters;  // the moving average is the model
  REQUIRE(used.size() == loaded.moving_average.size());
  for (const auto& named : loaded.moving_average) {
    CHECK(max_difference(used.at(named.key()), named.value()) == 0);
    CHECK(max_difference(used.at(named.key()), loaded.model.parameters.at(named.key())) > 0);
  }
  save_model(directory / "m.pt", loaded.model);
  CHECK_THROWS_WITH(load_checkpoint(directory / "m.pt"), Catch::Contains("without the state of the optimizer"));
}

TEST_CASE("a checkpoint has no best validation before the first one, and no moving average if the run has none") {
  const TemporaryDirectory directory;
  Checkpoint checkpoint = checkpoint_at(10);
  checkpoint.state.validations.best.reset();
  checkpoint.moving_average = NamedTensors();
  save_checkpoint(directory / "c.pt", checkpoint);
  const Checkpoint loaded = load_checkpoint(directory / "c.pt");
  CHECK_FALSE(loaded.state.validations.best);
  CHECK(loaded.state.validations.since_best == 8);
  CHECK(loaded.moving_average.empty());
}

TEST_CASE("a checkpoint with an entry of another type or a negative number is refused by the entry's name") {
  const TemporaryDirectory directory;
  save_checkpoint(directory / "c.pt", checkpoint_at(10));
  const Archive sound = load_archive(directory / "c.pt");
  const auto refused = [&](const std::string& name, const ArchiveValue& value) {
    INFO(name);
    Archive other = sound;
    other[name] = value;
    save_archive(directory / "c.pt", other);
    CHECK_THROWS_AS(load_checkpoint(directory / "c.pt"), DamagedFile);
    CHECK_THROWS_WITH(load_checkpoint(directory / "c.pt"), Catch::Contains("c.pt: its entry '" + name + "' is "));
  };
  for (const auto& [name, value] : sound) {
    const bool is_text = std::holds_alternative<std::string>(value);
    refused(name, is_text ? ArchiveValue(int64_t{1}) : ArchiveValue(std::string("x")));
    if (std::holds_alternative<int64_t>(value)) refused(name, int64_t{-1});
  }
}

TEST_CASE("run directory keeps the newest checkpoints and skips damaged ones") {
  const TemporaryDirectory directory;
  const RunDirectory run(directory / "run");
  CHECK(run.checkpoints().empty());
  CHECK(!run.newest_checkpoint());
  const DirectoryLock lock = run.lock();
  CHECK_THROWS_WITH(run.lock(), Catch::Contains("another process is training here"));
  for (const int64_t step : {9, 10, 11, 100}) run.save(checkpoint_at(step), 3);
  CHECK(run.checkpoints() == std::vector<std::string>{run.checkpoint(10), run.checkpoint(11), run.checkpoint(100)});
  CHECK(run.newest_checkpoint()->state.step == 100);
  CHECK(run.newest_checkpoint_up_to(99) == run.checkpoint(11));
  CHECK(run.newest_checkpoint_up_to(10) == run.checkpoint(10));
  CHECK(!run.newest_checkpoint_up_to(9));
  write_file_atomically(run.checkpoint(100), read_file(run.checkpoint(100)).substr(0, 5000));
  CHECK(run.newest_checkpoint()->state.step == 11);
  run.save(checkpoint_at(12), 3);  // the damaged checkpoint of a later step must not replace this one
  CHECK(run.checkpoints() == std::vector<std::string>{run.checkpoint(10), run.checkpoint(11), run.checkpoint(12)});
  for (const auto& path : run.checkpoints()) write_file_atomically(path, "damaged");
  CHECK_THROWS_WITH(run.newest_checkpoint(), Catch::Contains("none of its checkpoints is intact"));
  run.clear();
  CHECK(!run.newest_checkpoint());
}

}  // namespace transformer

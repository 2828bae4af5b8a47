#include "run/training_run.h"

#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "config/load_config.h"
#include "count.h"
#include "data/prepare.h"
#include "inference/loaded_model.h"
#include "reporting/step_lines.h"
#include "run/resume_rules.h"
#include "run/run_config.h"
#include "tensors.h"
#include "tiny_model.h"

namespace transformer {
namespace {

using Strings = std::vector<std::string>;

/// The lines of a run's metrics in their order, such as "log 3" and "validate 4".
Strings metrics_of(const RunFiles& directory) {
  Strings lines;
  for (const MetricsLine& line : read_step_lines<MetricsLine>(directory.metrics())) {
    lines.push_back(fmt::format("{} {}", line.value("loss") ? "log" : "validate", line.step));
  }
  return lines;
}

/// The steps of a run's checkpoints.
std::vector<int64_t> saved_steps(const RunFiles& directory) {
  std::vector<int64_t> steps;
  for (const auto& path : directory.checkpoints()) steps.push_back(step_of_name(path).value());
  return steps;
}

/// A prepared corpus of a few words and a config for a run of four steps.
struct TinyTraining {
  TinyTraining() {
    write_file_atomically(directory / "source", "the cat\nthe mat\non the mat\nthe cat sat\n");
    write_file_atomically(directory / "target", "die Katze\ndie Matte\nauf der Matte\ndie Katze sitzt\n");
    config.model = tiny_config();
    config.data.train = {{directory / "source", directory / "target"}};
    config.data.valid = {{directory / "source", directory / "target"}};
    config.data.vocabulary_size = 40;
    config.data.prepared = directory / "prepared";
    config.decoding.beam_size = 1;
    config.decoding.max_extra_tokens = 2;
    config.training.directory = directory / "run";
    config.training.train_steps = 4;
    config.training.batch_tokens = 30;
    config.training.device_tokens = 30;
    config.training.warmup_steps = 2;
    config.training.log_every = 1;
    config.training.validate_every = 2;
    config.training.checkpoint_every = 2;
    prepare(config.data, 1);
  }

  /// Trains in a new TrainingRun and returns where it ends.
  TrainingState train(bool overwrite = false) const {
    TrainingRun run(config, torch::kCPU, group, overwrite);
    run.train();
    return run.state();
  }
  RunDirectory run() const { return RunDirectory(config.training.directory); }
  /// Keeps the parameters as they are, so that no validation is better than the first.
  void use_tiny_learning_rate() {
    config.training.schedule = Schedule::constant;
    config.training.learning_rate = 1e-30;
  }
  Transformer network(int64_t step) const {
    return load_for_inference(RunDirectory(config.training.directory).checkpoint(step), torch::kCPU).network;
  }

  TemporaryDirectory directory;
  const ProcessGroup group{Membership()};
  Config config;
};

}  // namespace

TEST_CASE("a training run leaves config, checkpoints, metrics, samples, log and report in its directory") {
  TinyTraining training;
  const TrainingState state = training.train();
  CHECK(state.step == 4);
  CHECK(is_finished(state, training.config.training));
  const RunDirectory directory(training.config.training.directory);
  CHECK(directory.checkpoints() == std::vector{directory.checkpoint(2), directory.checkpoint(4)});
  CHECK(read_run_config(directory).model.d_ff == 32);
  int steps = 0, validations = 0;
  for (const MetricsLine& line : read_step_lines<MetricsLine>(directory.metrics())) {
    if (line.value("loss")) ++steps;
    if (line.value("valid_bleu")) ++validations;
  }
  CHECK(steps == 4);
  CHECK(validations == 2);
  CHECK_THAT(read_file(directory.log()), Catch::Contains("validation loss"));
  CHECK_THAT(read_file(directory.report()), Catch::Contains("auf der Matte") && Catch::Contains(">finished</span>"));
  CHECK(read_step_lines<ValidationSamples>(directory.samples()).size() == 2);
  const RunFacts facts = read_run_facts(directory.facts());
  CHECK(facts.status == RunStatus::finished);
  CHECK(facts.devices == 1);
  CHECK(facts.parameters > 0);
}

TEST_CASE("a run logs, validates and saves after the steps at which these are due, and after the last step") {
  TinyTraining training;
  training.config.training.log_every = 3;
  training.config.training.validate_every = 2;
  training.config.training.checkpoint_every = 3;
  training.config.training.checkpoint_minutes.reset();
  training.config.training.keep_checkpoints = 100;
  training.config.training.train_steps = 5;
  training.train();
  Strings expected = {"validate 2", "log 3", "validate 4", "log 5", "validate 5"};
  CHECK(metrics_of(training.run()) == expected);
  CHECK(saved_steps(training.run()) == std::vector<int64_t>{3, 5});
  training.config.training.train_steps = 6;
  training.train();
  expected.insert(expected.end(), {"log 6", "validate 6"});  // each once, though also the last step
  CHECK(metrics_of(training.run()) == expected);
  CHECK(saved_steps(training.run()) == std::vector<int64_t>{3, 5, 6});
  training.train();  // has finished already
  CHECK(metrics_of(training.run()) == expected);
  CHECK(saved_steps(training.run()) == std::vector<int64_t>{3, 5, 6});
}

TEST_CASE("a run does not validate without validate_every, and saves by time and at the end") {
  TinyTraining training;
  training.config.training.train_steps = 3;
  training.config.training.log_every = 100;
  training.config.training.validate_every.reset();
  training.config.training.checkpoint_every.reset();
  training.config.training.checkpoint_minutes.reset();
  training.config.training.keep_checkpoints = 1000;
  training.train();
  CHECK(metrics_of(training.run()) == Strings{"log 3"});
  CHECK(saved_steps(training.run()) == std::vector<int64_t>{3});
  training.config.training.checkpoint_minutes = 0;
  training.train(/*overwrite=*/true);
  CHECK(metrics_of(training.run()) == Strings{"log 3"});
  CHECK(saved_steps(training.run()) == std::vector<int64_t>{1, 2, 3});

  static constexpr double kSeconds = 0.1;  // counted from the last checkpoint
  training.config.training.checkpoint_minutes = kSeconds / 60;
  training.config.training.train_steps = 100;
  const auto start = Clock::now();
  training.train(/*overwrite=*/true);
  const auto saved_by_time = static_cast<double>(saved_steps(training.run()).size() - 1);
  CHECK(saved_by_time * kSeconds <= seconds_since(start));
  CHECK(saved_steps(training.run()).back() == 100);
}

TEST_CASE("a run ends when validation no longer gets better, and with max_epochs") {
  TinyTraining training;
  training.use_tiny_learning_rate();
  training.config.training.validate_every = 1;
  training.config.training.train_steps = 100;
  training.config.training.checkpoint_every.reset();
  training.config.training.checkpoint_minutes.reset();
  training.config.training.patience = 2;
  CHECK(end_reason(training.train(), training.config.training) == EndReason::patience);
  CHECK(saved_steps(training.run()) == std::vector<int64_t>{3});
  CHECK(read_run_facts(training.run().facts()).status == RunStatus::finished);

  training.config.training.patience.reset();
  training.config.training.max_epochs = 2;
  const TrainingState state = training.train(/*overwrite=*/true);
  CHECK(end_reason(state, training.config.training) == EndReason::max_epochs);
  CHECK(saved_steps(training.run()) == std::vector<int64_t>{state.step});
}

TEST_CASE("a run takes no step after max_hours, and is not finished then") {
  TinyTraining training;
  training.config.training.max_hours = 1e-9;
  const TrainingState state = training.train();
  CHECK(state.step == 0);
  CHECK_FALSE(is_finished(state, training.config.training));
  CHECK(saved_steps(training.run()).empty());
  CHECK(read_run_facts(training.run().facts()).status == RunStatus::stopped);
}

TEST_CASE("with the schedule plateau, a run lowers the learning rate of the steps after a validation") {
  TinyTraining training;
  training.use_tiny_learning_rate();
  training.config.training.schedule = Schedule::plateau;
  training.config.training.warmup_steps = 1;
  training.config.training.plateau_patience = 1;
  training.config.training.train_steps = 5;
  training.train();
  std::vector<double> rates;
  for (const MetricsLine& line : read_step_lines<MetricsLine>(training.run().metrics())) {
    if (const auto rate = line.value("learning_rate")) rates.push_back(*rate);
  }
  REQUIRE(rates.size() == 5);
  CHECK(rates[3] == Approx(1e-30));  // that of step 4, before its validation
  CHECK(rates[4] == Approx(0.5e-30));
}

TEST_CASE("a run that was resumed between two logs logs the same loss as an unbroken run") {
  TinyTraining training;
  training.config.training.log_every = 4;
  training.config.training.checkpoint_every = 6;
  training.config.training.train_steps = 8;
  training.train();
  const auto last_loss = [&] {
    std::optional<double> loss;
    for (const MetricsLine& line : read_step_lines<MetricsLine>(training.run().metrics())) {
      if (const auto value = line.value("loss")) loss = value;
    }
    return loss;
  };
  const auto unbroken = last_loss();
  REQUIRE(saved_steps(training.run()) == std::vector<int64_t>{6, 8});
  std::filesystem::remove(training.run().checkpoint(8));
  training.train();
  CHECK(last_loss() == unbroken);
  CHECK(metrics_of(training.run()).back() == "validate 8");
}

TEST_CASE("each run of a process has its own train.log, which has each message once") {
  TinyTraining training;
  const std::string first = RunDirectory(training.config.training.directory).log();
  training.config.training.train_steps = 2;
  training.train();
  training.config.training.train_steps = 4;
  training.train();
  training.config.training.directory = training.directory / "other";
  training.train();
  CHECK(count(read_file(first), "resuming after step 2\n") == 1);
  CHECK(count(read_file(first), "steps of 30 tokens") == 2);
  CHECK(count(read_file(RunDirectory(training.config.training.directory).log()), "steps of 30 tokens") == 1);
}

TEST_CASE("a run whose config.yaml is damaged meanwhile goes on, and is refused later") {
  TinyTraining training;
  const RunDirectory directory(training.config.training.directory);
  TrainingRun run(training.config, torch::kCPU, training.group, /*overwrite=*/false);
  write_file_atomically(directory.config(), "model:\n  M: 3\n");
  run.train();
  CHECK(run.state().step == 4);
  CHECK(std::filesystem::exists(directory.report()));
  CHECK_THROWS_AS(read_run_config(directory), DamagedFile);
  CHECK_THROWS_WITH(read_run_config(directory),
                    Catch::StartsWith(directory.config() + ":2: ") && Catch::Contains("; use the version of this"));
}

TEST_CASE("a resumed training run ends with the parameters of an uninterrupted one") {
  TinyTraining training;
  training.train();
  const Transformer whole = training.network(4);
  training.config.training.train_steps = 2;
  training.train(/*overwrite=*/true);
  CHECK_FALSE(std::filesystem::exists(RunDirectory(training.config.training.directory).checkpoint(4)));
  training.config.training.train_steps = 4;
  CHECK_NOTHROW(check_run_directory(training.config));
  CHECK(training.train().step == 4);
  CHECK(parameter_difference(*training.network(4), *whole) == 0);
}

TEST_CASE("best.safetensors has the parameters of the run's best validation, which need not be the last one") {
  TinyTraining training;
  const ValidationMetric metric =
      GENERATE(ValidationMetric::loss, ValidationMetric::bleu, ValidationMetric::chrf, ValidationMetric::ter);
  const bool diverges = GENERATE(false, true);
  training.config.evaluation.tokenize = Tokenization::character;  // a few steps get single characters right
  training.config.training.best_by = metric;
  training.config.training.schedule = Schedule::constant;
  training.config.training.learning_rate = diverges ? 1.0 : 1e-3;
  training.config.training.validate_every = 1;
  training.config.training.checkpoint_every = 1;
  training.train();
  const RunDirectory directory(training.config.training.directory);
  int64_t best_step = 0;
  std::optional<double> best_value;
  for (const MetricsLine& line : read_step_lines<MetricsLine>(directory.metrics())) {
    const auto value = line.value(validation_key(name_of(metric)));
    if (!value) continue;
    if (!lower_is_better(metric) && *value == 0) {  // never the best, but until then the newest model is kept
      if (!best_value) best_step = line.step;
      continue;
    }
    if (best_value && (lower_is_better(metric) ? *value >= *best_value : *value <= *best_value)) continue;
    best_value = value;
    best_step = line.step;
  }
  if (metric == ValidationMetric::loss) CHECK(best_step == (diverges ? 1 : 4));
  const NamedTensors best = load_model(directory.best()).parameters;
  const NamedTensors expected = load_model(directory.checkpoint(best_step)).parameters;
  CHECK(best.size() == expected.size());
  for (const auto& named : expected) CHECK(max_difference(named.value(), best.at(named.key())) == 0);
}

TEST_CASE("a run keeps the model of its best validation as best.safetensors, which is not taken for a checkpoint") {
  TinyTraining training;
  training.config.training.best_by =
      GENERATE(ValidationMetric::loss, ValidationMetric::bleu, ValidationMetric::chrf, ValidationMetric::ter);
  training.config.evaluation.tokenize = Tokenization::character;  // a few steps get single characters right
  training.train();
  const RunDirectory directory(training.config.training.directory);
  const ModelFile best = load_model(directory.best());
  CHECK(best.parameters.size() == training.network(4)->parameters().size());
  CHECK(directory.checkpoints().size() == 2);
  const auto metrics = read_step_lines<MetricsLine>(directory.metrics());
  const bool has_chrf = training.config.training.best_by == ValidationMetric::chrf;
  CHECK(metrics.back().value("valid_chrf").has_value() == has_chrf);
  const bool has_ter = training.config.training.best_by == ValidationMetric::ter;
  CHECK(metrics.back().value("valid_ter").has_value() == has_ter);
  std::string events;
  for (const auto& entry : std::filesystem::directory_iterator(training.config.training.directory + "/tensorboard")) {
    events += read_file(entry.path());
  }
  CHECK_THAT(events, Catch::Contains("BLEU/valid"));
  CHECK((events.find("chrF/valid") != std::string::npos) == has_chrf);
  CHECK((events.find("TER/valid") != std::string::npos) == has_ter);
  training.config.training.validate_every.reset();
  training.config.training.best_by = ValidationMetric::loss;
  training.train(/*overwrite=*/true);
  CHECK_FALSE(std::filesystem::exists(directory.best()));
}

TEST_CASE("with ema_decay, validation and best.safetensors use the moving average, and resuming continues it exactly") {
  TinyTraining training;
  training.config.training.ema_decay = 0.9;
  training.train();
  const RunDirectory directory(training.config.training.directory);
  const Checkpoint whole = load_checkpoint(directory.checkpoint(4));
  REQUIRE(whole.moving_average.size() == whole.model.parameters.size());
  const ModelFile best = load_model(directory.best());
  const std::string name = whole.model.parameters.begin()->key();
  CHECK(max_difference(whole.moving_average.at(name), whole.model.parameters.at(name)) > 0);
  CHECK(max_difference(best.parameters.at(name), whole.model.parameters.at(name)) > 0);
  const auto validation_of = [&] {
    return read_step_lines<MetricsLine>(directory.metrics()).back().value("valid_loss").value();
  };
  const double loss = validation_of();

  training.config.training.train_steps = 2;
  training.train(/*overwrite=*/true);
  training.config.training.train_steps = 4;
  training.train();
  const Checkpoint resumed = load_checkpoint(directory.checkpoint(4));
  for (const auto& named : whole.moving_average) {
    CHECK(max_difference(named.value(), resumed.moving_average.at(named.key())) == 0);
  }
  CHECK(validation_of() == loss);
  training.config.training.ema_decay.reset();
  CHECK_THROWS_WITH(check_run_directory(training.config), Catch::Contains("training.ema_decay: 0.9 there, null here"));
  training.train(/*overwrite=*/true);
  CHECK(validation_of() != loss);
}

TEST_CASE("a run starts with the parameters of init_from, if they fit") {
  TinyTraining training;
  training.train();
  const std::string model = RunDirectory(training.config.training.directory).checkpoint(4);
  const ModelFile start = load_model(model);
  Config config = training.config;
  config.training.directory = training.directory / "tuned";
  config.training.init_from = model;
  config.training.schedule = Schedule::constant;
  config.training.learning_rate = 1e-30;  // so that the parameters stay what they are
  config.training.train_steps = 1;
  config.training.ema_decay = 0.9;
  TrainingRun(config, torch::kCPU, training.group, /*overwrite=*/false, model).train();
  const Checkpoint tuned = load_checkpoint(RunDirectory(config.training.directory).checkpoint(1));
  const ModelFile& end = tuned.model;
  for (const auto& named : start.parameters) {
    CHECK(max_difference(named.value(), end.parameters.at(named.key())) == 0);
    CHECK(max_difference(named.value(), tuned.moving_average.at(named.key())) < 1e-6);
  }
  config.training.directory = training.directory / "other";
  config.model.d_ff = 48;
  CHECK_THROWS_WITH(TrainingRun(config, torch::kCPU, training.group, /*overwrite=*/false, model),
                    Catch::StartsWith("training.init_from: " + model + " is another architecture") &&
                        Catch::Contains("model.d_ff: 32 there, 48 here"));
  config.model.d_ff = 32;
  config.model.h = 8;  // the same shapes
  CHECK_THROWS_WITH(TrainingRun(config, torch::kCPU, training.group, /*overwrite=*/false, model),
                    Catch::Contains("model.h: 4 there, 8 here"));
  // --overwrite removes a run only when the new one can begin.
  config.training.directory = training.directory / "tuned";
  CHECK_THROWS_AS(TrainingRun(config, torch::kCPU, training.group, /*overwrite=*/true, model), Error);
  CHECK(load_model(RunDirectory(config.training.directory).checkpoint(1)).config == end.config);
  config.model.h = 4;
  config.training.directory = training.directory / "other";
  config.data.vocabulary_size = 39;
  prepare(config.data, 1);
  CHECK_THROWS_WITH(TrainingRun(config, torch::kCPU, training.group, /*overwrite=*/false, model),
                    Catch::StartsWith("training.init_from: " + model + " has another vocabulary"));
}

TEST_CASE("the report of a resumed run names the model with which the run began") {
  TinyTraining training;
  training.train();
  const std::string model = training.run().checkpoint(4);
  training.config.training.directory = training.directory / "tuned";
  training.config.training.init_from = model;
  TrainingRun(training.config, torch::kCPU, training.group, /*overwrite=*/false, model).train();
  training.config.training.init_from.reset();  // the key may be left out when the run is resumed
  training.config.training.train_steps = 6;
  training.train();
  CHECK_THAT(read_file(training.run().config()), Catch::Contains("init_from: " + model));
  CHECK_THAT(read_file(training.run().report()), Catch::Contains(model));
}

TEST_CASE("a run whose learning rate depends on train_steps may not be resumed with other train_steps") {
  TinyTraining training;
  training.config.training.schedule = Schedule::cosine;
  training.config.training.learning_rate = 1e-3;
  training.train();
  training.config.training.train_steps = 6;
  CHECK_THROWS_WITH(check_run_directory(training.config), Catch::Contains("training.train_steps: 4 there, 6 here"));
}

TEST_CASE("a run does not resume from a checkpoint of another config, also without config.yaml") {
  TinyTraining training;
  training.config.training.train_steps = 2;
  training.train();
  const RunDirectory directory(training.config.training.directory);
  std::filesystem::remove(directory.config());
  training.config.training.train_steps = 4;
  training.config.training.seed = 7;
  CHECK_NOTHROW(check_run_directory(training.config));
  CHECK_THROWS_WITH(training.train(), Catch::StartsWith(directory.checkpoint(2) + ": was written by a run") &&
                                          Catch::Contains("training.seed: 1 there, 7 here"));
  training.config.training.seed = 1;
  CHECK_NOTHROW(check_run_directory(training.config));
  CHECK(training.train().step == 4);
}

TEST_CASE("a run does not resume from a checkpoint whose config has keys of training or data that are not known") {
  TinyTraining training;
  training.config.training.train_steps = 2;
  training.train();
  const RunDirectory directory(training.config.training.directory);
  const std::string path = directory.checkpoint(2);
  const auto write_config = [&](const std::string& more) {
    Checkpoint checkpoint = load_checkpoint(path);
    checkpoint.model.config = dump_config(training.config) + more;
    save_checkpoint(path, checkpoint);
    write_file_atomically(directory.config(),
                          "# The config of this run, written by `transformer train`.\n" + checkpoint.model.config);
  };
  training.config.training.train_steps = 4;
  write_config("new_section: {new_key: 1}\n");
  CHECK_THROWS_WITH(check_run_directory(training.config),
                    Catch::StartsWith(directory.config() + ": the run's config has keys") &&
                        Catch::Contains("does not know (new_section.new_key)"));
  CHECK_THROWS_WITH(training.train(), Catch::StartsWith(path + ": the run's config has keys"));
  write_config("");
  CHECK_NOTHROW(check_run_directory(training.config));
  CHECK(training.train().step == 4);
}

TEST_CASE("a resumed run removes the checkpoints that a smaller keep_checkpoints leaves no place for") {
  TinyTraining training;
  training.train();
  const RunDirectory directory(training.config.training.directory);
  REQUIRE(directory.checkpoints().size() == 2);
  training.config.training.keep_checkpoints = 1;
  const TrainingRun resumed(training.config, torch::kCPU, training.group, /*overwrite=*/false);
  CHECK(directory.checkpoints() == std::vector{directory.checkpoint(4)});
}

TEST_CASE("the best validation so far counts for a resumed run if it can be compared with the next ones") {
  TinyTraining training;
  const auto [metric, search_changes, counts] =
      GENERATE(table<ValidationMetric, bool, bool>({{ValidationMetric::loss, true, true},
                                                    {ValidationMetric::bleu, false, true},
                                                    {ValidationMetric::bleu, true, false}}));
  training.config.training.best_by = metric;
  training.config.evaluation.tokenize = Tokenization::character;  // a few steps get single characters right
  training.config.training.train_steps = 2;
  training.train();
  if (search_changes) training.config.decoding.beam_size = 2;
  const TrainingRun resumed(training.config, torch::kCPU, training.group, /*overwrite=*/false);
  CHECK(resumed.state().validations.best.has_value() == counts);
}

TEST_CASE("a run directory is refused if its run has another config, or another process trains in it") {
  TinyTraining training;
  training.config.training.train_steps = 2;
  training.train();
  Config other = training.config;
  other.training.log_every = 5;
  CHECK_NOTHROW(check_run_directory(other));
  other.training.seed = 7;
  CHECK_THROWS_WITH(check_run_directory(other), Catch::Contains("training.seed: 1 there, 7 here"));
  other.training.directory = training.directory / "elsewhere";
  CHECK_NOTHROW(check_run_directory(other));

  // The run's model fits a config with another dropout, but not one with other layers.
  const std::string remedy = "(with training.init_from=" + training.config.training.directory + " to start";
  Config other_dropout = training.config, other_layers = training.config;
  other_dropout.model.P_drop = 0.25;
  CHECK_THROWS_WITH(check_run_directory(other_dropout), Catch::Contains("P_drop") && Catch::Contains(remedy));
  other_layers.model.d_ff = 64;
  CHECK_THROWS_WITH(check_run_directory(other_layers), Catch::Contains("d_ff") && !Catch::Contains("init_from"));

  const TrainingRun holder(training.config, torch::kCPU, training.group, /*overwrite=*/false);
  CHECK_THROWS_AS(TrainingRun(training.config, torch::kCPU, training.group, /*overwrite=*/false), Error);
}

}  // namespace transformer

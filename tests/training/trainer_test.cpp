#include "training/trainer.h"

#include <fmt/core.h>

#include <chrono>
#include <functional>
#include <limits>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "corpora.h"
#include "limited_memory.h"
#include "training/learning_rate.h"
#include "training/trainee.h"

namespace transformer {
namespace {

using Strings = std::vector<std::string>;

/// The calls of hooks that training with this config makes from step `start` on, such as "save 3" after step 3.
/// `after_step` is called after each step.
Strings calls_of(
    const TrainingConfig& config, int64_t start = 0,
    const std::function<void(int64_t step)>& after_step = [](int64_t) {}) {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  Trainee trainee(config);
  trainee.state.step = start;
  Strings calls;
  const auto note = [&](const std::string& call) { calls.push_back(fmt::format("{} {}", call, trainee.state.step)); };
  train(trainee.replica(), *corpus, config, {400}, trainee.state,
        {.step = [&](const CompletedStep& completed) { after_step(completed.step); },
         .log = [&](const auto&, double) { note("log"); },
         .validate =
             [&] {
               note("validate");
               return 0.0;
             },
         .save = [&] { note("save"); }});
  return calls;
}

/// Makes the loss of later steps not a number, or finite again.
void set_finite(Transformer& model, bool finite) {
  torch::NoGradGuard no_grad;
  model->parameters()[0][5][0] = finite ? 0.1F : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace

TEST_CASE("training lowers the loss") {
  const FormulaCorpus corpus(200, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.learning_rate_scale = 0.5;
  Trainee trainee(config, 0.1);
  trainee.train(*corpus, 60, 400);
  CHECK(trainee.state.step == 60);
  CHECK(trainee.losses.size() == 60);
  CHECK(trainee.losses.back() < 0.8 * trainee.losses.front());
  CHECK(trainee.saves >= 1);
}

TEST_CASE("training does not depend on how a step is divided into micro-batches, dropout included") {
  const FormulaCorpus corpus(200, Trainee::kVocabulary, 12);
  const double P_drop = GENERATE(0.0, 0.3);
  Trainee whole(quick_config(), P_drop, torch::kDouble), divided(quick_config(), P_drop, torch::kDouble);
  whole.train(*corpus, 5, 100000);
  divided.train(*corpus, 5, 60);
  for (size_t i = 0; i < 5; ++i) CHECK(whole.losses[i] == Approx(divided.losses[i]).epsilon(1e-9));
  CHECK(parameter_difference(*whole.model, *divided.model) < 1e-8);
}

TEST_CASE("training that ran out of memory continues with smaller micro-batches") {
  const FormulaCorpus corpus(200, Trainee::kVocabulary, 12);
  Trainee trainee(quick_config(), 0.3);
  trainee.train(*corpus, 1, 400);
  int refusals = 0;
  const LimitedMemory memory([&](size_t bytes) { return bytes > 5000 && ++refusals > 0; });
  trainee.train(*corpus, 3, 400);
  CHECK(trainee.losses.size() == 3);
  CHECK(refusals > 0);

  std::vector<int> refusals_after_step;
  trainee.config.train_steps = 6;
  refusals = 0;
  train(trainee.replica(), *corpus, trainee.config, {400}, trainee.state,
        {.log = [&](const auto&, double) { refusals_after_step.push_back(refusals); },
         .validate = [] { return 0.0; },
         .save = [] {}});
  REQUIRE(refusals_after_step.size() == 3);
  CHECK(refusals_after_step[0] > 0);
  CHECK(refusals_after_step[2] == refusals_after_step[0]);
}

TEST_CASE("training that was stopped and resumed ends in the same parameters, bit for bit") {
  const FormulaCorpus corpus(200, Trainee::kVocabulary, 12);
  Trainee unbroken(quick_config(), 0.3), first(quick_config(), 0.3), second(quick_config(), 0.3);
  unbroken.train(*corpus, 9, 100);
  first.train(*corpus, 4, 100);
  set_parameters(*second.model, copy_parameters(*first.model), "");
  second.optimizer.set_state(first.optimizer.state(), "");
  second.state = first.state;
  second.train(*corpus, 9, 100);
  CHECK(parameter_difference(*unbroken.model, *second.model) == 0);
  CHECK(unbroken.losses.back() == second.losses.back());
}

TEST_CASE("results that are read steps later change nothing, and all are read before a log or a checkpoint") {
  const FormulaCorpus corpus(200, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.train_steps = 8;
  config.log_every = 4;
  config.checkpoint_every = 6;
  Strings calls;
  std::vector<double> losses;
  const auto train_ahead = [&](Trainee& trainee, int64_t steps_ahead) {
    calls.clear();
    losses.clear();
    int64_t completed = 0;
    train(trainee.replica(), *corpus, config, {.device_tokens = 400, .steps_ahead = steps_ahead}, trainee.state,
          {.after_update = [&] { calls.push_back(fmt::format("launch {}", trainee.state.step)); },
           .step = [&](const auto&) { calls.push_back(fmt::format("complete {}", ++completed)); },
           .log =
               [&](const StepSums& sums, double) {
                 calls.push_back("log");
                 losses.push_back(sums.loss);
               },
           .validate = [] { return 0.0; },
           .save = [&] { calls.push_back("save"); }});
    return losses;
  };
  Trainee behind(config, 0.3), ahead(config, 0.3);
  const auto expected = train_ahead(behind, 0);
  CHECK(train_ahead(ahead, 2) == expected);
  CHECK(calls == Strings{"launch 1",   "launch 2", "launch 3",   "complete 1", "launch 4",   "complete 2", "complete 3",
                         "complete 4", "log",      "launch 5",   "launch 6",   "complete 5", "complete 6", "save",
                         "launch 7",   "launch 8", "complete 7", "complete 8", "log",        "save"});
  CHECK(parameter_difference(*behind.model, *ahead.model) == 0);
  CHECK(behind.state.since_log.target_tokens == ahead.state.since_log.target_tokens);
}

TEST_CASE("training that was resumed between two logs logs the same sums as unbroken training") {
  const FormulaCorpus corpus(200, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.log_every = 4;
  config.checkpoint_every = 6;
  config.train_steps = 8;
  Trainee unbroken(config), resumed(config);
  const TemporaryDirectory directory;
  std::vector<double> losses;
  const auto save = [&] {
    save_checkpoint(directory / checkpoint_name(unbroken.state.step),
                    {.model = {"", {""}, copy_parameters(*unbroken.model)},
                     .optimizer = unbroken.optimizer.state(),
                     .state = unbroken.state});
  };
  train(unbroken.replica(), *corpus, config, {100}, unbroken.state,
        {.log = [&](const StepSums& sums, double) { losses.push_back(sums.loss); },
         .validate = [] { return 0.0; },
         .save = save});
  const Checkpoint checkpoint = load_checkpoint(directory / checkpoint_name(6));
  set_parameters(*resumed.model, checkpoint.model.parameters, "");
  resumed.optimizer.set_state(checkpoint.optimizer, "");
  resumed.state = checkpoint.state;
  train(resumed.replica(), *corpus, config, {100}, resumed.state,
        {.log = [&](const StepSums& sums, double) { losses.push_back(sums.loss); },
         .validate = [] { return 0.0; },
         .save = [] {}});
  REQUIRE(losses.size() == 3);  // after steps 4 and 8, and again after step 8
  CHECK(losses[2] == losses[1]);
}

TEST_CASE("training logs, validates and saves after the steps at which these are due, and after the last step") {
  TrainingConfig config = quick_config();
  config.train_steps = 7;
  config.log_every = 3;
  config.validate_every = 2;
  config.checkpoint_every = 3;
  config.checkpoint_minutes.reset();
  CHECK(calls_of(config) == Strings{"validate 2", "log 3", "save 3", "validate 4", "log 6", "validate 6", "save 6",
                                    "log 7", "validate 7", "save 7"});
  CHECK(calls_of(config, 5) == Strings{"log 6", "validate 6", "save 6", "log 7", "validate 7", "save 7"});
  CHECK(calls_of(config, 7).empty());  // has finished already
  config.train_steps = 6;
  CHECK(calls_of(config, 5) == Strings{"log 6", "validate 6", "save 6"});  // each once, though also the last step
}

TEST_CASE("training does not validate without validate_every, and saves by time and at the end") {
  TrainingConfig config = quick_config();
  config.train_steps = 3;
  config.log_every = 100;
  config.validate_every.reset();
  CHECK(calls_of(config) == Strings{"log 3", "save 3"});
  config.checkpoint_minutes = 0;
  CHECK(calls_of(config) == Strings{"save 1", "save 2", "log 3", "save 3"});

  config.checkpoint_minutes = 1.0 / 60;  // counted from the last checkpoint
  const auto wait = [](int64_t step) {
    std::this_thread::sleep_for(std::chrono::milliseconds(step == 1 ? 1100 : 100));
  };
  CHECK(calls_of(config, 0, wait) == Strings{"save 1", "log 3", "save 3"});
}

TEST_CASE("training logs the sum of the steps since the last log, their learning rate and their time") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  Trainee every_step(config);
  every_step.train(*corpus, 3, 400);
  config.train_steps = 3;
  config.log_every = 100;
  Trainee trainee(config);
  int calls = 0;
  train(trainee.replica(), *corpus, config, {400}, trainee.state,
        {.log =
             [&](const StepSums& sums, double rate) {
               ++calls;
               const double mean = sums.loss / static_cast<double>(sums.target_tokens);
               CHECK(mean > *std::min_element(every_step.losses.begin(), every_step.losses.end()));
               CHECK(mean < *std::max_element(every_step.losses.begin(), every_step.losses.end()));
               CHECK(rate == learning_rate(config, trainee.model->config().d_model, 3, 0));
               CHECK(sums.seconds == trainee.state.seconds);
             },
         .validate = [] { return 0.0; },
         .save = [] {}});
  CHECK(calls == 1);
}

TEST_CASE("ten skipped steps in a row end training, with the lines of the last one") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  Trainee trainee(quick_config());
  set_finite(trainee.model, false);
  trainee.config.train_steps = 50;
  Strings lines;  // of the last step
  std::string message;
  try {
    train(trainee.replica(), *corpus, trainee.config, {400}, trainee.state,
          {.step =
               [&](const CompletedStep& completed) {
                 lines.clear();
                 for (const int64_t pair : completed.pairs) lines.push_back(std::to_string(pair + 1));
               },
           .log = [&](const auto&, double) { FAIL("logged a skipped step"); },
           .validate = [] { return 0.0; },
           .save = [] {}});
  } catch (const Error& error) {
    message = error.what();
  }
  CHECK_THAT(message, Catch::Contains("step 10: loss or gradient was not finite in 10 steps in a row; ") &&
                          Catch::Contains("the last one had the lines " + enumeration(lines, "and", 10) + " of the"));
  CHECK(trainee.state.step == 10);
}

TEST_CASE("skipped steps in a row count across a resumption") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  Trainee trainee(quick_config());
  trainee.state.skipped_in_a_row = 7;
  set_finite(trainee.model, false);
  CHECK_THROWS_WITH(trainee.train(*corpus, 50, 400), Catch::Contains("step 3: loss or gradient was not finite in 10"));
}

TEST_CASE("a step that is not skipped starts the count of skipped steps anew") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.train_steps = 100;
  config.validate_every = 1;
  Trainee trainee(config);
  std::vector<int64_t> logged;
  set_finite(trainee.model, false);
  const auto run = [&] {
    train(trainee.replica(), *corpus, config, {400}, trainee.state,
          {.log = [&](const auto&, double) { logged.push_back(trainee.state.step); },
           .validate =
               [&] {
                 set_finite(trainee.model, trainee.state.step == 9);  // so that only step 10 is finite
                 return 0.0;
               },
           .save = [] {}});
  };
  CHECK_THROWS_WITH(run(), Catch::StartsWith("step 20: loss or gradient was not finite in 10"));
  CHECK(logged == std::vector<int64_t>{10});
}

TEST_CASE("a loss that has been too high for too long ends training, and the last good checkpoint is named") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.warmup_steps = 1000000;  // so small updates that the loss stays what it is
  Trainee trainee(config);
  trainee.train(*corpus, 3, 400);
  // As if the loss had been a hundredth of this one until step 3, and too high in all steps since then.
  static constexpr int64_t kHighSteps = DivergenceGuard::kMaxHighSteps - 2;
  trainee.state.divergence_guard = DivergenceGuard(trainee.losses.back() / 100, kHighSteps);
  trainee.state.step += kHighSteps;
  trainee.config.train_steps = 1000;
  int64_t asked_for = 0;
  const auto resume = [&] {
    train(trainee.replica(), *corpus, trainee.config, {400}, trainee.state,
          {.log = [](const auto&, double) {},
           .validate = [] { return 0.0; },
           .save = [] {},
           .newest_checkpoint_up_to =
               [&](int64_t step) {
                 asked_for = step;
                 return "step-00000002.pt";
               }});
  };
  CHECK_THROWS_WITH(resume(), Catch::StartsWith("step 203: training has diverged: ") &&
                                  Catch::EndsWith("the last good checkpoint is step-00000002.pt"));
  CHECK(asked_for == 2);  // the loss of step 3 is that of the parameters after step 2
}

TEST_CASE("a validation loss that is not a number counts as a validation without a better loss") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.validate_every = 1;
  config.patience = 3;
  config.train_steps = 100;
  Trainee trainee(config, 0.0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> losses = {nan, 5, nan, 4, nan, nan, nan, 1};
  size_t validations = 0;
  train(trainee.replica(), *corpus, trainee.config, {400}, trainee.state,
        {.log = [](const auto&, double) {}, .validate = [&] { return losses.at(validations++); }, .save = [] {}});
  CHECK(validations == 7);
  CHECK(trainee.state.validations.best == 4);
}

TEST_CASE("patience ends training when validation no longer gets better") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.validate_every = 2;
  config.patience = 3;
  Trainee trainee(config, 0.0);
  trainee.config.train_steps = 100;
  std::vector<double> losses = {5, 4, 4.5, 3, 3.1, 3.2, 3.3, 1};
  size_t validations = 0;
  train(trainee.replica(), *corpus, trainee.config, {400}, trainee.state,
        {.log = [](const auto&, double) {}, .validate = [&] { return losses.at(validations++); }, .save = [] {}});
  CHECK(validations == 7);
  CHECK(trainee.state.step == 14);
  CHECK(trainee.state.validations.best == 3);
  CHECK(is_finished(trainee.state, trainee.config));
}

TEST_CASE("the model is kept after each validation that is the best so far") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.validate_every = 1;
  config.train_steps = 5;
  Trainee trainee(config);
  const std::vector<double> losses = {5, 4, 4, 4.5, 3};
  std::vector<int64_t> kept;
  size_t validations = 0;
  train(trainee.replica(), *corpus, trainee.config, {400}, trainee.state,
        {.log = [](const auto&, double) {},
         .validate = [&] { return losses.at(validations++); },
         .save_best = [&] { kept.push_back(trainee.state.step); },
         .save = [] {}});
  CHECK(kept == std::vector<int64_t>{1, 2, 5});
}

TEST_CASE("the schedule plateau lowers the learning rate of the steps after a validation") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.schedule = Schedule::plateau;
  config.learning_rate = 0.01;
  config.warmup_steps = 1;
  config.plateau_patience = 1;
  config.validate_every = 2;
  config.train_steps = 5;
  Trainee trainee(config);
  std::vector<double> rates;
  train(trainee.replica(), *corpus, trainee.config, {400}, trainee.state,
        {.log = [&](const auto&, double rate) { rates.push_back(rate); },
         .validate = [&] { return static_cast<double>(trainee.state.step); },  // each worse than the one before
         .save = [] {}});
  REQUIRE(rates.size() == 5);
  CHECK(rates[3] == Approx(0.01));  // that of step 4, before its validation
  CHECK(rates[4] == Approx(0.005));
}

TEST_CASE("training ends with the step that completes max_epochs") {
  const FormulaCorpus corpus(200, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.train_steps = 1000;
  config.max_epochs = 2;
  Trainee trainee(config);
  std::vector<double> epochs;
  train(trainee.replica(), *corpus, config, {400}, trainee.state,
        {.step = [&](const auto&) { epochs.push_back(trainee.state.epochs); },
         .log = [](const auto&, double) {},
         .validate = [] { return 0.0; },
         .save = [&] { ++trainee.saves; }});
  REQUIRE(epochs.size() >= 2);
  CHECK(epochs.back() >= 2);
  CHECK(epochs[epochs.size() - 2] < 2);
  CHECK(is_finished(trainee.state, config));
  CHECK(trainee.saves == 1);
}

TEST_CASE("training stops and saves when max_hours are over, and is not finished then") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.train_steps = 1000000;
  Trainee trainee(config);
  train(trainee.replica(), *corpus, config, {400}, trainee.state,
        {.step =
             [&](const auto&) {
               if (trainee.state.step == 3) config.max_hours = 0;
             },
         .log = [](const auto&, double) {},
         .validate = [] { return 0.0; },
         .save = [&] { ++trainee.saves; }});
  CHECK(trainee.state.step >= 3);
  CHECK(trainee.saves == 1);
  CHECK_FALSE(is_finished(trainee.state, config));
}

TEST_CASE("training does not stop before max_hours are over") {
  TrainingConfig config = quick_config();
  config.train_steps = 3;
  config.log_every = 100;
  config.validate_every.reset();
  config.max_hours = (seconds_since(kProcessStart) + 10) / 3600;
  CHECK(calls_of(config) == Strings{"log 3", "save 3"});
}

TEST_CASE("training in bf16 follows fp32 closely, but not exactly, and keeps fp32 parameters and moments") {
  const FormulaCorpus corpus(200, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  Trainee fp32(config, 0.1);
  config.precision = Precision::bf16;
  Trainee bf16(config, 0.1);
  fp32.train(*corpus, 8, 400);
  bf16.train(*corpus, 8, 400);
  for (size_t i = 0; i < fp32.losses.size(); ++i)
    CHECK(bf16.losses[i] == Approx(fp32.losses[i]).epsilon(0.02));  // learning rates of 0.02 amplify rounding
  CHECK(bf16.losses != fp32.losses);
  for (const auto& parameter : bf16.model->parameters()) CHECK(parameter.scalar_type() == torch::kFloat);
  for (const auto& moment : bf16.optimizer.state()) CHECK(moment.value().scalar_type() == torch::kFloat);
}

}  // namespace transformer

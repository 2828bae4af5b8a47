#include "training/trainer.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/format.h"
#include "base/make_directory.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "corpora.h"
#include "limited_memory.h"
#include "training/learning_rate.h"
#include "training/trainee.h"

namespace transformer {
namespace {

using Strings = std::vector<std::string>;

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
  refusals = 0;
  Trainer trainer = trainee.trainer(*corpus, {400});
  for (int i = 0; i < 3; ++i) {
    take_step(trainer);
    refusals_after_step.push_back(refusals);
  }
  CHECK(refusals_after_step[0] > 0);
  CHECK(refusals_after_step[2] == refusals_after_step[0]);
  CHECK(trainer.device_tokens() < 400);
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

TEST_CASE("results that are read steps later change nothing") {
  const FormulaCorpus corpus(200, Trainee::kVocabulary, 12);
  Strings calls;
  // Trains for 8 steps, and reads all results after steps 4, 6 and 8, where it logs or saves.
  const auto train_ahead = [&](Trainee& trainee, int64_t steps_ahead) {
    Trainer trainer = trainee.trainer(*corpus, {.device_tokens = 400, .steps_ahead = steps_ahead});
    const auto complete = [&](int64_t max_running) {
      while (trainer.num_running() > max_running) {
        calls.push_back(fmt::format("complete {}", trainer.complete_step().step));
      }
    };
    std::vector<double> losses;
    calls.clear();
    for (int64_t step = 1; step <= 8; ++step) {
      trainer.launch_step();
      calls.push_back(fmt::format("launch {}", trainee.state.step));
      complete(trainer.steps_ahead());
      if (step % 4 == 0 || step == 6) complete(0);
      if (step % 4 == 0) losses.push_back(std::exchange(trainee.state.since_log, {}).loss);
    }
    return losses;
  };
  Trainee behind(quick_config(), 0.3), ahead(quick_config(), 0.3);
  const auto expected = train_ahead(behind, 0);
  CHECK(train_ahead(ahead, 2) == expected);
  CHECK(calls == Strings{"launch 1", "launch 2", "launch 3", "complete 1", "launch 4", "complete 2", "complete 3",
                         "complete 4", "launch 5", "launch 6", "complete 5", "complete 6", "launch 7", "launch 8",
                         "complete 7", "complete 8"});
  CHECK(parameter_difference(*behind.model, *ahead.model) == 0);
  CHECK(behind.state.since_log.target_tokens == ahead.state.since_log.target_tokens);
}

TEST_CASE("training adds up the losses and the time of the steps since the last log") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  Trainee trainee(quick_config());
  Trainer trainer = trainee.trainer(*corpus, {400});
  std::vector<double> losses;
  for (int i = 0; i < 3; ++i) losses.push_back(take_step(trainer).result.loss_per_token());
  const StepSums& sums = trainee.state.since_log;
  CHECK(sums.loss_per_token() > *std::min_element(losses.begin(), losses.end()));
  CHECK(sums.loss_per_token() < *std::max_element(losses.begin(), losses.end()));
  CHECK(sums.seconds == trainee.state.seconds);
  CHECK(trainer.learning_rate_of_last_step() == learning_rate(trainee.config, trainee.model->config().d_model, 3, 0));
}

TEST_CASE("ten skipped steps in a row end training, with the lines of the last one") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  Trainee trainee(quick_config());
  set_finite(trainee.model, false);
  Trainer trainer = trainee.trainer(*corpus, {400});
  Strings lines;  // of the last step
  std::string message;
  try {
    while (true) {
      trainer.launch_step();
      const CompletedStep completed = trainer.complete_step();
      lines.clear();
      for (const int64_t pair : completed.pairs) lines.push_back(std::to_string(pair + 1));
      CHECK(trainee.state.since_log.target_tokens == 0);  // a skipped step is not logged
      trainer.check_loss(completed, RunFiles("no-run"));
    }
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
  Trainee trainee(quick_config());
  std::vector<int64_t> finite;
  set_finite(trainee.model, false);
  Trainer trainer = trainee.trainer(*corpus, {400});
  const auto run = [&] {
    while (true) {
      if (!take_step(trainer).result.skipped) finite.push_back(trainee.state.step);
      set_finite(trainee.model, trainee.state.step == 9);  // so that only step 10 is finite
    }
  };
  CHECK_THROWS_WITH(run(), Catch::StartsWith("step 20: loss or gradient was not finite in 10"));
  CHECK(finite == std::vector<int64_t>{10});
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
  // The loss of step 3 is that of the parameters after step 2, so that checkpoint is the last good one.
  const TemporaryDirectory directory;
  const RunFiles run(directory / "run");
  make_directory(run.checkpoints_directory());
  for (const int64_t step : {1, 2, 3, 100}) write_file_atomically(run.checkpoint(step), "");
  Trainer trainer = trainee.trainer(*corpus, {400});
  const auto resume = [&] {
    while (true) {
      trainer.launch_step();
      trainer.check_loss(trainer.complete_step(), run);
    }
  };
  CHECK_THROWS_WITH(resume(), Catch::StartsWith("step 203: training has diverged: ") &&
                                  Catch::EndsWith("the last good checkpoint is " + run.checkpoint(2)));
}

TEST_CASE("the schedule plateau lowers the learning rate of the steps after a validation") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.schedule = Schedule::plateau;
  config.learning_rate = 0.01;
  config.warmup_steps = 1;
  config.plateau_patience = 1;
  Trainee trainee(config);
  Trainer trainer = trainee.trainer(*corpus, {400});
  std::vector<double> rates;
  for (int64_t step = 1; step <= 5; ++step) {
    take_step(trainer);
    rates.push_back(trainer.learning_rate_of_last_step());
    if (step % 2 == 0) trainee.state.validations.add(static_cast<double>(step), config);  // worse than the one before
  }
  CHECK(rates[3] == Approx(0.01));  // that of step 4, before its validation
  CHECK(rates[4] == Approx(0.005));
}

TEST_CASE("training ends with the step that completes max_epochs") {
  const FormulaCorpus corpus(200, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.train_steps = 1000;
  config.max_epochs = 2;
  Trainee trainee(config);
  Trainer trainer = trainee.trainer(*corpus, {400});
  std::vector<double> epochs;
  while (!is_finished(trainee.state, config)) {
    take_step(trainer);
    epochs.push_back(trainee.state.epochs);
  }
  REQUIRE(epochs.size() >= 2);
  CHECK(epochs.back() >= 2);
  CHECK(epochs[epochs.size() - 2] < 2);
  CHECK(end_reason(trainee.state, config) == EndReason::max_epochs);
}

TEST_CASE("each step updates the moving average of the replica") {
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  TrainingConfig config = quick_config();
  config.ema_decay = 0.9;
  Trainee trainee(config);
  MovingAverage expected(*trainee.model, 0.9);
  Trainer trainer = trainee.trainer(*corpus, {400});
  for (int64_t step = 1; step <= 3; ++step) {
    take_step(trainer);
    expected.update(step);
  }
  const NamedTensors average = trainee.replica.moving_average->state(), parameters = copy_parameters(*trainee.model);
  for (const auto& named : expected.state()) {
    CHECK(max_difference(named.value(), average.at(named.key())) == 0);
    CHECK(max_difference(parameters.at(named.key()), average.at(named.key())) > 0);
  }
}

TEST_CASE("each step trains on the tokens that its sentence pairs have once it has begun") {
  /// The corpus, with the last piece of every target left out from step 2 on.
  class ShortenedPairs : public SentencePairs {
   public:
    explicit ShortenedPairs(const Corpus& corpus) : corpus_(corpus) {}
    SentencePair operator[](int64_t pair) const override {
      SentencePair shortened = corpus_[pair];
      if (step_ > 1) shortened.target = shortened.target.first(shortened.target.size() - 1);
      return shortened;
    }
    const SourceAndTarget<SpecialTokens>& special_tokens() const override { return corpus_.special_tokens(); }
    void begin_step(const std::vector<int64_t>& pairs, int64_t step) override {
      num_pairs = std::ssize(pairs);
      step_ = step;
    }
    int64_t num_pairs = 0;

   private:
    const Corpus& corpus_;
    int64_t step_ = 0;
  };
  const FormulaCorpus corpus(40, Trainee::kVocabulary, 12);
  Trainee plain(quick_config()), shortened(quick_config());
  ShortenedPairs pairs(*corpus);
  Trainer of_corpus = plain.trainer(*corpus, {400});
  Trainer of_pairs(shortened.replica, {*corpus, 400, 1}, pairs, shortened.config, {400}, shortened.state);
  for (int64_t step = 1; step <= 3; ++step) {
    const CompletedStep expected = take_step(of_corpus), completed = take_step(of_pairs);
    CHECK(completed.pairs == expected.pairs);
    CHECK(pairs.num_pairs == std::ssize(expected.pairs));
    CHECK(completed.result.target_tokens == expected.result.target_tokens - (step > 1 ? pairs.num_pairs : 0));
  }
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

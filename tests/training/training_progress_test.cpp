#include "training/training_progress.h"

#include "catch.h"

namespace transformer {
namespace {

/// A config that trains to step 100 and saves at the end only.
TrainingConfig hundred_steps() {
  TrainingConfig config;
  config.train_steps = 100;
  config.validate_every.reset();
  config.checkpoint_minutes.reset();
  return config;
}

}  // namespace

TEST_CASE("the time left is that of the remaining steps, validations and checkpoints") {
  TrainingConfig config = hundred_steps();
  config.validate_every = 30;
  config.checkpoint_every = 25;
  TrainingProgress progress(config);
  CHECK(progress.seconds_left(0) == 0);  // not known yet
  progress.add_step(1000, 2);
  CHECK(progress.seconds_left(40) == Approx(60 * 2));
  progress.set_validation_seconds(10);  // after the steps 60, 90 and 100
  CHECK(progress.seconds_left(40) == Approx(60 * 2 + 3 * 10));
  progress.set_checkpoint_seconds(7);  // after the steps 50, 75 and 100
  CHECK(progress.seconds_left(40) == Approx(60 * 2 + 3 * 10 + 3 * 7));
  CHECK(progress.seconds_left(100) == 0);
}

TEST_CASE("the time left includes the checkpoint at the end and those written by time") {
  TrainingConfig config = hundred_steps();
  TrainingProgress at_end(config);
  config.checkpoint_minutes = 1;
  TrainingProgress by_time(config);
  for (TrainingProgress* progress : {&at_end, &by_time}) {
    progress->add_step(1000, 2);
    progress->set_checkpoint_seconds(5);
  }
  CHECK(at_end.seconds_left(10) == Approx(90 * 2 + 5));
  CHECK(by_time.seconds_left(10) == Approx(90 * 2 + 3 * 5));
}

TEST_CASE("with max_epochs, the last step is that which completes them at the pace so far, or train_steps") {
  TrainingConfig config = hundred_steps();
  config.max_epochs = 2;
  TrainingProgress progress(config);
  CHECK(progress.last_step() == 100);
  progress.set_epochs(10, 0.5);
  CHECK(progress.last_step() == 40);
  progress.set_epochs(45, 1.99);
  CHECK(progress.last_step() == 46);
  progress.set_epochs(60, 1);
  CHECK(progress.last_step() == 100);
}

TEST_CASE("speed and time left follow the recent steps") {
  TrainingProgress progress(hundred_steps());
  CHECK(progress.tokens_per_second() == 0);
  progress.add_step(1000, 50);  // a slow first step
  CHECK(progress.tokens_per_second() == Approx(20));
  for (int step = 0; step < 200; ++step) progress.add_step(1000, 0.5);
  CHECK(progress.tokens_per_second() == Approx(2000).epsilon(0.01));
  CHECK(progress.seconds_left(90) == Approx(5).epsilon(0.01));
}

TEST_CASE("the status of training has the most important first, and the step alone before the first step") {
  TrainingStatus status{.step = 1234, .last_step = 8000};
  CHECK(status_text(status) == "step 1,234 of 8,000 (15 %)");
  status.seconds_left = 6120;
  status.epochs = 3.24;
  status.tokens_per_second = 6450;
  CHECK(status_text(status) == "step 1,234 of 8,000 (15 %)  1 h 42 min left  epoch 3.2  6,450 target tokens/s");
  status.memory_bytes = 1200000000;
  CHECK_THAT(status_text(status), Catch::EndsWith("6,450 target tokens/s  1.2 GB"));
}

}  // namespace transformer

#include "training/learning_rate.h"

#include "catch.h"

namespace transformer {
namespace {

/// 100 steps with 10 of warm-up and a peak of 0.01.
TrainingConfig config_with(Schedule schedule) {
  TrainingConfig config;
  config.schedule = schedule;
  config.train_steps = 100;
  config.warmup_steps = 10;
  if (schedule != Schedule::noam) config.learning_rate = 0.01;
  return config;
}

double rate(const TrainingConfig& config, int64_t step, int64_t num_reductions = 0) {
  return learning_rate(config, 512, step, num_reductions);
}

}  // namespace

TEST_CASE("the learning rate is Equation 3: linear during warm-up, then proportional to the inverse square root") {
  CHECK(noam(1, 512, 4000) == Approx(1.7469e-7).epsilon(1e-4));
  CHECK(noam(4000, 512, 4000) == Approx(6.9877e-4).epsilon(1e-4));
  CHECK(noam(2000, 512, 4000) == Approx(noam(4000, 512, 4000) / 2));
  CHECK(noam(16000, 512, 4000) == Approx(noam(4000, 512, 4000) / 2));
  CHECK(noam(100, 2048, 4000) == Approx(noam(100, 512, 4000) / 2));
}

TEST_CASE("the schedule noam is Equation 3 times learning_rate_scale") {
  TrainingConfig config = config_with(Schedule::noam);
  config.learning_rate_scale = 2;
  CHECK(rate(config, 7) == 2 * noam(7, 512, 10));
  CHECK(rate(config, 70) == 2 * noam(70, 512, 10));
}

TEST_CASE("inverse_sqrt with the peak of noam is noam") {
  TrainingConfig config = config_with(Schedule::inverse_sqrt);
  config.learning_rate = noam(10, 512, 10);
  for (const int64_t step : {1, 9, 10, 11, 40, 1000}) CHECK(rate(config, step) == Approx(noam(step, 512, 10)));
}

TEST_CASE("every schedule but noam increases linearly to its peak, and decays as its name says") {
  for (const Schedule schedule :
       {Schedule::inverse_sqrt, Schedule::linear, Schedule::cosine, Schedule::constant, Schedule::plateau}) {
    const TrainingConfig config = config_with(schedule);
    CHECK(rate(config, 1) == Approx(0.001));
    CHECK(rate(config, 5) == Approx(0.005));
    CHECK(rate(config, 10) == Approx(0.01));
  }
  CHECK(rate(config_with(Schedule::inverse_sqrt), 40) == Approx(0.005));
  CHECK(rate(config_with(Schedule::linear), 55) == Approx(0.005));
  CHECK(rate(config_with(Schedule::linear), 91) == Approx(0.001));
  CHECK(rate(config_with(Schedule::linear), 100) == Approx(0).margin(1e-12));
  CHECK(rate(config_with(Schedule::cosine), 40) == Approx(0.0075));  // a third of the way: (1 + cos(pi/3)) / 2
  CHECK(rate(config_with(Schedule::cosine), 55) == Approx(0.005));
  CHECK(rate(config_with(Schedule::cosine), 100) == Approx(0).margin(1e-12));
  CHECK(rate(config_with(Schedule::constant), 100) == Approx(0.01));
  CHECK(rate(config_with(Schedule::plateau), 100) == Approx(0.01));
  CHECK(rate(config_with(Schedule::plateau), 100, 2) == Approx(0.0025));
}

TEST_CASE("a schedule other than noam can do without warm-up") {
  TrainingConfig config = config_with(Schedule::linear);
  config.warmup_steps = 0;
  CHECK(rate(config, 1) == Approx(0.0099));
  CHECK(rate(config, 50) == Approx(0.005));
}

}  // namespace transformer

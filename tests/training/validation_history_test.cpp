#include "training/validation_history.h"

#include <limits>
#include <vector>

#include "catch.h"

namespace transformer {
namespace {

const double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Which of the values were the best so far.
std::vector<bool> add_all(ValidationHistory& history, const TrainingConfig& config, const std::vector<double>& values) {
  std::vector<bool> best;
  for (const double value : values) best.push_back(history.add(value, config));
  return best;
}

}  // namespace

TEST_CASE("a lower loss is better, and a validation as good as the best is not") {
  ValidationHistory history;
  const TrainingConfig config;
  CHECK(add_all(history, config, {kNaN, 5, 5, 6, 5, 4, kNaN, 4.5}) ==
        std::vector<bool>{false, true, false, false, false, true, false, false});
  CHECK(history.best == 4);
  CHECK(history.since_best == 2);
  ValidationHistory ties;
  add_all(ties, config, {5, 5, 5, 6, 5});
  CHECK(ties.since_best == 4);
}

TEST_CASE("a higher BLEU or chrF is better") {
  TrainingConfig config;
  config.best_by = GENERATE(ValidationMetric::bleu, ValidationMetric::chrf);
  ValidationHistory history;
  CHECK(add_all(history, config, {0, 3, 2, 3, 10}) == std::vector<bool>{true, true, false, false, true});
  CHECK(history.best == 10);
  CHECK(history.since_best == 0);
}

TEST_CASE("BLEU or chrF of 0 is never the best, and is no reason to lose patience before the first better one") {
  TrainingConfig config;
  config.best_by = GENERATE(ValidationMetric::bleu, ValidationMetric::chrf);
  ValidationHistory history;
  CHECK(add_all(history, config, {0, 0, 0}) == std::vector<bool>{true, true, true});  // the newest model
  CHECK_FALSE(history.best.has_value());
  CHECK(history.since_best == 0);
  CHECK(history.since_reduction == 0);
  CHECK(add_all(history, config, {0.1, 0}) == std::vector<bool>{true, false});
  CHECK(history.since_best == 1);
  ValidationHistory of_losses;
  CHECK(add_all(of_losses, TrainingConfig(), {1, 0}) == std::vector<bool>{true, true});
}

TEST_CASE("the schedule plateau reduces the learning rate after plateau_patience validations, again and again") {
  TrainingConfig config;
  config.schedule = Schedule::plateau;
  config.plateau_patience = 2;
  ValidationHistory history;
  add_all(history, config, {5, 6});
  CHECK(history.num_reductions == 0);
  add_all(history, config, {6});
  CHECK(history.num_reductions == 1);
  add_all(history, config, {6, 4, 6});  // the better one starts the count anew
  CHECK(history.num_reductions == 1);
  add_all(history, config, {6, 6, 6});
  CHECK(history.num_reductions == 3);
  CHECK(history.since_best == 4);  // patience counts on

  ValidationHistory other;
  config.schedule = Schedule::constant;
  add_all(other, config, {5, 6, 6, 6});
  CHECK(other.num_reductions == 0);
}

}  // namespace transformer

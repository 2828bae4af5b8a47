#include "run/choose_checkpoints.h"

#include <array>
#include <filesystem>
#include <limits>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "config/config.h"
#include "model/run_files.h"
#include "reporting/metrics.h"
#include "reporting/step_lines.h"

namespace transformer {

TEST_CASE("newest checkpoints are the last ones, oldest first") {
  const TemporaryDirectory directory;
  const RunFiles run(directory.path());
  std::filesystem::create_directory(directory / "checkpoints");
  for (const int64_t step : {200, 1000, 50}) write_file_atomically(run.checkpoint(step), "");
  CHECK(newest_checkpoints(directory.path(), 2) == std::vector{run.checkpoint(200), run.checkpoint(1000)});
  CHECK(newest_checkpoints(directory.path(), 3).front() == run.checkpoint(50));
  CHECK_THROWS_WITH(newest_checkpoints(directory.path(), 4), Catch::Contains("has 3 checkpoints, not 4"));
  CHECK_THROWS_WITH(newest_checkpoints(directory / "none", 1),
                    Catch::Contains("none: is no run directory with checkpoints"));
}

TEST_CASE("best checkpoints are those with the best validations by training.best_by, oldest first") {
  const TemporaryDirectory directory;
  const RunFiles run(directory.path());
  std::filesystem::create_directory(directory / "checkpoints");
  for (const int64_t step : {10, 20, 30, 40, 45, 50}) write_file_atomically(run.checkpoint(step), "");
  // Step 60 has no checkpoint any more, step 45 no validation, and step 50 a loss that is not a number.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::array<double, 3>> validations = {{10, 3.0, 20}, {20, 2.0, 22},  {30, 2.5, 30},
                                                          {40, 2.0, 25}, {50, nan, 1.0}, {60, 1.0, 40}};
  for (const auto& [step, loss, bleu] : validations) {
    append_step_line(run.metrics(),
                     MetricsLine{static_cast<int64_t>(step), {{"valid_loss", loss}, {"valid_bleu", bleu}}});
  }
  const auto best_by = [&](ValidationMetric metric) {
    Config config;
    config.data.valid = {{"valid", "valid"}};
    config.training.best_by = metric;
    write_file_atomically(run.config(), dump_config(config));
  };
  best_by(ValidationMetric::loss);
  CHECK(best_checkpoints(directory.path(), 1) == std::vector{run.checkpoint(40)});
  CHECK(best_checkpoints(directory.path(), 3) ==
        std::vector{run.checkpoint(20), run.checkpoint(30), run.checkpoint(40)});
  CHECK_THROWS_WITH(best_checkpoints(directory.path(), 5),
                    Catch::Contains("has 4 checkpoints with a validation, not 5"));
  best_by(ValidationMetric::bleu);
  CHECK(best_checkpoints(directory.path(), 2) == std::vector{run.checkpoint(30), run.checkpoint(40)});
  CHECK(!has_best_checkpoints(directory.path(), 1));  // that of step 60, the best, is missing
  write_file_atomically(run.checkpoint(60), "");
  CHECK((has_best_checkpoints(directory.path(), 6) && !has_best_checkpoints(directory.path(), 7)));
}

}  // namespace transformer

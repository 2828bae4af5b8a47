#include "run/newest_checkpoints.h"

#include <filesystem>

#include "base/atomic_file.h"
#include "base/error.h"
#include "catch.h"
#include "temporary_directory.h"
#include "training/run_directory.h"

namespace transformer {

TEST_CASE("newest checkpoints are the last ones, oldest first") {
  const TemporaryDirectory directory;
  const RunDirectory run(directory.path());
  std::filesystem::create_directory(directory / "checkpoints");
  for (const int64_t step : {200, 1000, 50}) write_file_atomically(run.checkpoint(step), "");
  CHECK(newest_checkpoints(directory.path(), 2) == std::vector{run.checkpoint(200), run.checkpoint(1000)});
  CHECK(newest_checkpoints(directory.path(), 3).front() == run.checkpoint(50));
  CHECK_THROWS_WITH(newest_checkpoints(directory.path(), 4), Catch::Contains("has 3 checkpoints, not 4"));
  CHECK_THROWS_WITH(newest_checkpoints(directory / "none", 1), Catch::Contains("none: there is no such run directory"));
}

}  // namespace transformer

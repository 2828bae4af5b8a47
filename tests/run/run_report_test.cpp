#include "run/run_report.h"

#include <filesystem>

#include "base/error.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "run_files.h"

namespace transformer {
namespace {

/// Writes a run with a single line of metrics and no run.json. Returns `path`.
std::string run_of_model(const std::string& path, int64_t layers) {
  Config config;
  config.model.N = layers;
  config.training.directory = path;
  write_run(path, config, "{\"step\": 100, \"loss\": 2.5}\n");
  return path;
}

TEST_CASE("run report needs only config and metrics, in any directory") {
  const TemporaryDirectory directory;
  const std::string run = run_of_model(directory / "run", 6);
  CHECK_THAT(make_report({run}), Catch::Contains("2.500 at step 100") && Catch::Contains("<h1>" + run + "</h1>"));
  std::filesystem::rename(run, directory / "moved");
  CHECK_THAT(make_report({directory / "moved"}), Catch::Contains("2.500 at step 100"));
}

TEST_CASE("run report compares the configs of runs") {
  const TemporaryDirectory directory;
  const std::string six = run_of_model(directory / "six", 6), two = run_of_model(directory / "two", 2);
  CHECK_THAT(make_report({six, two}),
             Catch::Contains("<th scope=\"row\">model.N</th><td>6</td><td>2</td>") && Catch::Contains("different"));
  const std::string copy = directory / "copy";
  std::filesystem::copy(six, copy);
  CHECK_THAT(make_report({six, copy}), Catch::Contains("These runs have the same config."));
  CHECK_THROWS_AS(make_report({six, six}), UsageError);
}

TEST_CASE("run report does not replace the files that it is made of") {
  const TemporaryDirectory directory;
  const std::string run = run_of_model(directory / "run", 6);
  CHECK_THROWS_WITH(make_report({run}, run + "/./metrics.jsonl"), Catch::Contains("is an input and would be replaced"));
  CHECK_THROWS_AS(make_report({run}, run + "/config.yaml"), UsageError);
  CHECK_FALSE(make_report({run}, run + "/report.html").empty());
}

TEST_CASE("run report names a directory without a run or without metrics") {
  const TemporaryDirectory directory;
  const std::string run = run_of_model(directory / "run", 6);
  CHECK_THROWS_WITH(make_report({run, directory / "none"}), Catch::StartsWith(directory / "none: there is no run"));
  CHECK_THROWS_WITH(make_report({run + "/config.yaml"}),
                    Catch::Contains("config.yaml: is a file, not a run directory"));
  std::filesystem::remove(run + "/metrics.jsonl");
  CHECK_THROWS_WITH(make_report({run}), Catch::StartsWith(run + ": this run has no metrics yet"));
}

}  // namespace
}  // namespace transformer

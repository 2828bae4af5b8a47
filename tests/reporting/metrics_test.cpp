#include "reporting/metrics.h"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "reporting/step_lines.h"

namespace transformer {
namespace {

/// A metrics.jsonl in a temporary directory.
struct TemporaryMetrics {
  TemporaryDirectory directory;
  std::string path = directory / "metrics.jsonl";
};

std::string error_of(const std::string& path) {
  try {
    read_step_lines<MetricsLine>(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::vector<int64_t> steps_of(const std::string& path) {
  std::vector<int64_t> steps;
  for (const MetricsLine& line : read_step_lines<MetricsLine>(path)) steps.push_back(line.step);
  return steps;
}

TEST_CASE("a metrics file has one JSON object per line, with the keys in the given order") {
  const TemporaryMetrics run;
  append_step_line(run.path, MetricsLine{100, {{"loss", 5.123}, {"perplexity", 60.5}, {"seconds", 12}}});
  append_step_line(run.path, MetricsLine{200, {{"valid_loss", 4.5}}});
  append_step_line(run.path, MetricsLine{300, {}});
  CHECK(read_file(run.path) ==
        "{\"step\":100,\"loss\":5.123,\"perplexity\":60.5,\"seconds\":12.0}\n"
        "{\"step\":200,\"valid_loss\":4.5}\n"
        "{\"step\":300}\n");
}

TEST_CASE("metrics read back are the metrics written, to the last bit") {
  const TemporaryMetrics run;
  const std::vector<std::pair<std::string, double>> values = {{"loss", 1.0 / 3},
                                                              {"learning_rate", 6.987712429686844e-08},
                                                              {"seconds", 1e15 + 1},
                                                              {"negative", -2.5},
                                                              {"zero", 0}};
  append_step_line(run.path, MetricsLine{5'000'000'000, values});
  const std::vector<MetricsLine> lines = read_step_lines<MetricsLine>(run.path);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].step == 5'000'000'000);
  CHECK(lines[0].values == values);
}

TEST_CASE("metrics that are not finite are null in the file and NaN when read") {
  const TemporaryMetrics run;
  const double infinity = std::numeric_limits<double>::infinity();
  append_step_line(run.path, MetricsLine{1, {{"loss", std::nan("")}, {"perplexity", infinity}}});
  CHECK(read_file(run.path) == "{\"step\":1,\"loss\":null,\"perplexity\":null}\n");
  const std::vector<MetricsLine> lines = read_step_lines<MetricsLine>(run.path);
  REQUIRE(lines.size() == 1);
  CHECK(std::isnan(lines[0].value("loss").value()));
  CHECK(std::isnan(lines[0].value("perplexity").value()));
}

TEST_CASE("a metrics line has no value for a key that it lacks") {
  const MetricsLine line{7, {{"loss", 2.5}}};
  CHECK(line.value("loss") == 2.5);
  CHECK_FALSE(line.value("valid_loss").has_value());
  CHECK_FALSE(line.value("step").has_value());
}

TEST_CASE("metrics of a second or further validation set have its name in their keys") {
  CHECK(validation_key("bleu") == "valid_bleu");
  CHECK(validation_key("bleu", "news") == "valid_bleu_news");
  const std::vector<MetricsLine> lines = {
      {100, {{"loss", 3}}},
      {200, {{validation_key("loss"), 2}, {validation_key("loss", "news"), 4}, {validation_key("bleu", "news"), 1}}},
      {300, {{validation_key("loss", "news"), 3}, {validation_key("loss", "ted_talks"), 5}}}};
  CHECK(further_validation_sets(lines) == std::vector<std::string>{"news", "ted_talks"});
}

TEST_CASE("metrics reading skips an incomplete last line") {
  const TemporaryMetrics run;
  write_file_atomically(run.path, "{\"step\": 1, \"loss\": 2}\n{\"step\": 2, \"lo");
  CHECK(steps_of(run.path) == std::vector<int64_t>{1});
  write_file_atomically(run.path, "{\"step\"");
  CHECK(read_step_lines<MetricsLine>(run.path).empty());
  write_file_atomically(run.path, "");
  CHECK(read_step_lines<MetricsLine>(run.path).empty());
}

TEST_CASE("metrics reading skips damaged lines, and dropping lines removes them and keeps a copy of the file") {
  const TemporaryMetrics run;
  const std::string damaged =
      GENERATE(as<std::string>(), "", "{}", "{\"step\": 1.5}", "{\"step\": 1", "{\"step\": 1}}", "{\"step\": 1, }",
               "{\"step\": 1, \"loss\": }", "{\"step\": 1, \"loss\": nan}", "{\"step\": 1, \"loss\": inf}",
               "{\"step\": 1, \"loss\": \"2\"}", "{\"step\": 1, \"loss: 2}", "{\"loss\": 2}",
               "{\"step\": 1, \"lo{\"step\": 2, \"loss\": 2}");
  const std::string first = "{\"step\": 1, \"loss\": 2}\n", last = "{\"step\": 3, \"loss\": 1}\n";
  const std::string text = fmt::format("{}{}\n{}", first, damaged, last);
  write_file_atomically(run.path, text);
  CHECK(steps_of(run.path) == std::vector<int64_t>{1, 3});
  drop_step_lines_after<MetricsLine>(run.path, 3);
  CHECK(read_file(run.path) == first + last);
  CHECK(read_file(run.path + ".damaged") == text);
}

TEST_CASE("metrics reading names a file that is missing") {
  CHECK_THAT(error_of("no/such/metrics.jsonl"), Catch::StartsWith("no/such/metrics.jsonl: "));
}

TEST_CASE("metrics of later steps are dropped, validations of the same step are kept") {
  const TemporaryMetrics run;
  for (const int64_t step : {100, 200, 200, 300}) append_step_line(run.path, MetricsLine{step, {{"loss", 2}}});
  drop_step_lines_after<MetricsLine>(run.path, 200);
  CHECK(steps_of(run.path) == std::vector<int64_t>{100, 200, 200});
  append_step_line(run.path, MetricsLine{300, {{"loss", 1}}});
  CHECK(steps_of(run.path) == std::vector<int64_t>{100, 200, 200, 300});
  drop_step_lines_after<MetricsLine>(run.path, 0);
  CHECK(read_file(run.path).empty());
}

TEST_CASE("metrics written after an incomplete line was dropped are on a line of their own") {
  const TemporaryMetrics run;
  write_file_atomically(run.path, "{\"step\": 1, \"loss\": 2}\n{\"step\": 2, \"lo");
  drop_step_lines_after<MetricsLine>(run.path, 1000);
  append_step_line(run.path, MetricsLine{2, {{"loss", 1}}});
  CHECK(read_file(run.path) == "{\"step\": 1, \"loss\": 2}\n{\"step\":2,\"loss\":1.0}\n");
}

TEST_CASE("dropping metrics does not change the bytes of kept lines, and creates no file") {
  const TemporaryMetrics run;
  drop_step_lines_after<MetricsLine>(run.path, 10);
  CHECK_FALSE(std::filesystem::exists(run.path));
  const std::string kept = "{\"step\": 1, \"loss\": 2.50000}\n";
  write_file_atomically(run.path, kept + "{\"step\": 2}\n");
  drop_step_lines_after<MetricsLine>(run.path, 1);
  CHECK(read_file(run.path) == kept);
}

}  // namespace
}  // namespace transformer

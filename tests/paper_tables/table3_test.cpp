#include "paper_tables/table3.h"

#include "base/error.h"
#include "base/json.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "config/load_config.h"
#include "model/model_cost.h"
#include "repository.h"
#include "run_files.h"

namespace transformer {
namespace {

const Table3Comparison& row_named(const std::vector<Table3Comparison>& rows, const std::string& name) {
  for (const auto& row : rows) {
    if (row.name == name) return row;
  }
  FAIL("there is no row " << name);
  return rows.front();
}

constexpr const char* kMetrics =
    "{\"step\": 100, \"loss\": 5, \"seconds\": 1000, \"devices\": 1}\n"
    "{\"step\": 100, \"valid_loss\": 2, \"valid_perplexity\": 7.25, \"valid_bleu\": 21.5}\n"
    "{\"step\": 120, \"loss\": 5, \"seconds\": 1200, \"devices\": 1}\n";

}  // namespace

TEST_CASE("Table 3 without runs has the paper's rows and the costs of our configs") {
  const auto rows = compare_with_table3({.configs = kConfigs, .overrides = {"data.vocabulary_size=41100"}});
  REQUIRE(rows.size() == table3().size());
  for (size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].name == table3()[i].name);
    CHECK(rows[i].ours->parameters == num_parameters(rows[i].ours->config.model, 41100));
    CHECK(rows[i].ours->runs.empty());
    CHECK_FALSE(rows[i].ours->training_flops_by_time);
  }
  const auto& base = rows.front();
  CHECK(base.ours->training_flops == training_flops(base.ours->config.model, 41100, 25000, 100000));
  CHECK(*paper_training_flops(base.paper) == Approx(12 * 3600 * 8 * 9.5e12));
  CHECK_FALSE(paper_training_flops(rows[1].paper));
  CHECK_THROWS_AS(compare_with_table3({.configs = "none"}), UsageError);
}

TEST_CASE("Table 3: a run joins the row of its model and label smoothing, or gets a row of its own") {
  const TemporaryDirectory directory;
  const Config base = load_config(kConfigs / "base.yaml", {});
  Config smooth = base, explicit_width = base, longer = base, unknown = base;
  smooth.training.eps_ls = 0.2;
  smooth.training.train_steps = 7;
  explicit_width.model.d_k = 64;
  longer.training.train_steps = 8;
  unknown.model.N = 5;
  write_run(directory / "smooth", smooth, kMetrics);
  write_run(directory / "base", explicit_width, kMetrics);
  write_run(directory / "longer", longer, "");
  write_run(directory / "unknown", unknown, kMetrics);
  const auto rows = compare_with_table3(
      {.configs = kConfigs,
       .runs = {directory / "smooth", directory / "base", directory / "longer", directory / "unknown"},
       .sustained_tflops = 2});
  REQUIRE(rows.size() == table3().size() + 2);

  const auto& joined = row_named(rows, "D eps_ls=0.2");
  REQUIRE(joined.ours->runs.size() == 1);
  CHECK(joined.ours->runs[0].directory == directory / "smooth");
  CHECK(joined.ours->runs[0].step == 120);
  CHECK(joined.ours->runs[0].seconds == 1200);
  CHECK(joined.ours->runs[0].perplexity == 7.25);
  CHECK(joined.ours->runs[0].bleu == 21.5);
  CHECK(joined.ours->config.training.train_steps == 7);
  CHECK(joined.ours->training_flops == training_flops(base.model, 37000, 25000, 120));
  CHECK(joined.ours->training_flops_by_time == 1200 * 2e12);
  CHECK(row_named(rows, "base").ours->runs.at(0).directory == directory / "base");

  const auto& other_steps = rows[table3().size()];
  CHECK(other_steps.name == directory / "longer");
  CHECK_FALSE(other_steps.paper.perplexity);
  CHECK(other_steps.ours->runs.at(0).step == 0);
  CHECK_FALSE(other_steps.ours->mean(&RunResults::bleu));
  CHECK(rows.back().ours->config.model.N == 5);
  CHECK_THROWS_WITH(compare_with_table3({.configs = kConfigs, .runs = {directory / "none"}}),
                    Catch::Contains("none: there is no run directory"));
}

TEST_CASE("Table 3: runs that differ in the seed only share a row, which has their mean and spread") {
  const TemporaryDirectory directory;
  Config config = load_config(kConfigs / "base.yaml", {});
  const std::vector<std::string> figures = {"\"valid_perplexity\": 7, \"valid_bleu\": 20", "\"valid_perplexity\": 8",
                                            "\"valid_perplexity\": 9.5, \"valid_bleu\": 21"};
  std::vector<std::string> runs;
  for (size_t seed = 1; seed <= figures.size(); ++seed) {
    config.training.seed = static_cast<int64_t>(seed);
    config.training.directory = runs.emplace_back(directory / fmt::format("seed{}", seed));
    write_run(runs.back(), config,
              fmt::format("{{\"step\": {0}, \"seconds\": {1}00, \"devices\": 1}}\n{{\"step\": {0}, {2}}}\n",
                          1000 * seed, seed, figures[seed - 1]));
  }
  const auto rows = compare_with_table3({.configs = kConfigs, .runs = runs, .sustained_tflops = 1});
  REQUIRE(rows.size() == table3().size());
  const auto& base = rows.front();
  REQUIRE(base.ours->runs.size() == 3);
  CHECK(*base.ours->mean(&RunResults::perplexity) == Approx(24.5 / 3));
  CHECK(base.ours->spread(&RunResults::perplexity) == 2.5);
  CHECK(base.ours->mean(&RunResults::bleu) == 20.5);
  CHECK(base.ours->spread(&RunResults::bleu) == 1);
  CHECK(*base.ours->training_flops_by_time == Approx(200e12));
  CHECK_THAT(format_text(rows), Catch::Contains(" 4.92  8.17    2.50   25.8  20.5     1.0 "));
  CHECK_THAT(format_text(rows), Catch::Contains(" 100,000  1,000-3,000 "));
  const Json json = Json::parse(format_json(rows)).at("rows")[0];
  CHECK(json.at("perplexity") == Approx(24.5 / 3));
  CHECK(json.at("bleu_spread") == 1);
  CHECK(json.at("runs").size() == 3);
  CHECK(json.at("runs")[2].at("seed") == 3);
  CHECK(json.at("runs")[1].at("bleu").is_null());
}

TEST_CASE("Table 3 has the paper's and the runs' results as text and as JSON, and null for what is unknown") {
  const TemporaryDirectory directory;
  write_run(directory / "run", load_config(kConfigs / "base.yaml", {}), kMetrics);
  const auto rows = compare_with_table3({.configs = kConfigs, .runs = {directory / "run"}, .sustained_tflops = 2});
  const std::string text = format_text(rows);
  CHECK_THAT(text, Catch::Contains("\nbase ") && Catch::Contains(" 7.25 ") && Catch::Contains(" 21.5 ") &&
                       Catch::Contains("2.4e+15") && Catch::Contains("\nC d_model=256"));

  const Json json = Json::parse(format_json(rows)).at("rows");
  REQUIRE(json.size() == rows.size());
  CHECK(json[0].at("name") == "base");
  CHECK(json[0].at("paper_bleu") == 25.8);
  CHECK(json[0].at("perplexity") == 7.25);
  CHECK(json[0].at("runs")[0].at("step") == 120);
  CHECK(json[0].at("runs")[0].at("run") == directory / "run");
  CHECK(json[0].at("training_flops").get<double>() == rows[0].ours->training_flops);
  CHECK(json[1].at("paper_parameters_millions").is_null());
  CHECK(json[1].at("runs").empty());
  CHECK(json[1].at("bleu_spread").is_null());
  CHECK(json[1].at("training_flops_by_time").is_null());
  std::vector<std::string> keys;
  for (const auto& [key, value] : json[0].items()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"name",
                                         "N",
                                         "d_model",
                                         "d_ff",
                                         "h",
                                         "d_k",
                                         "d_v",
                                         "P_drop",
                                         "eps_ls",
                                         "train_steps",
                                         "vocabulary_size",
                                         "parameters",
                                         "paper_parameters_millions",
                                         "paper_perplexity",
                                         "paper_bleu",
                                         "paper_training_flops",
                                         "perplexity",
                                         "perplexity_spread",
                                         "bleu",
                                         "bleu_spread",
                                         "runs",
                                         "training_flops_by_time",
                                         "training_flops"});
}

}  // namespace transformer

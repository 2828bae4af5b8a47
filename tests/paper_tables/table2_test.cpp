#include "paper_tables/table2.h"

#include "base/json.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "config/load_config.h"
#include "model/model_cost.h"
#include "paper_tables/paper_tables.h"
#include "repository.h"
#include "run_files.h"

namespace transformer {
namespace {

/// Of a run after 100 steps in 1,000 s on 8 devices.
constexpr const char* kTable2Metrics =
    "{\"step\": 100, \"loss\": 5, \"seconds\": 1000, \"devices\": 8}\n"
    "{\"step\": 100, \"valid_loss\": 2, \"valid_perplexity\": 7.25, \"valid_bleu\": 21.5}\n";

}  // namespace

TEST_CASE("Table 2 has the systems of the paper, and costs for the Transformer's two models") {
  const auto rows = compare_with_table2({.configs = kConfigs});
  REQUIRE(rows.size() == table2().size());
  for (size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].name == table2()[i].name);
    CHECK(rows[i].ours.has_value() == rows[i].name.starts_with("Transformer"));
  }
  const Table2Comparison& base = rows[8];
  CHECK(base.paper.bleu_en_de == 27.3);
  CHECK(base.ours->training_flops == training_flops(base.ours->config.model, 37000, 25000, 100000));
  CHECK(base.ours->runs.empty());
}

TEST_CASE("Table 2's training FLOPs of the Transformer follow from the training times of Table 3") {
  const auto flops_of = [](const Table3Row& row) {
    return training_flops_by_time(3600 * row.training_hours.value(), kPaperDevices, kPaperSustainedFlops);
  };
  CHECK(*table2()[8].training_flops_en_de == Approx(flops_of(table3().front())).epsilon(0.01));
  CHECK(*table2()[9].training_flops_en_de == Approx(flops_of(table3().back())).epsilon(0.01));
}

TEST_CASE("Table 2: a run joins the row of its model, any other run is below") {
  const TemporaryDirectory directory;
  Config other = load_config(kConfigs / "base.yaml", {});
  other.model.N = 5;
  write_run(directory / "big", load_config(kConfigs / "big.yaml", {}), kTable2Metrics);
  write_run(directory / "other", other, kTable2Metrics);
  const auto rows = compare_with_table2(
      {.configs = kConfigs, .runs = {directory / "big", directory / "other"}, .sustained_tflops = 2});
  REQUIRE(rows.size() == table2().size() + 1);
  CHECK(rows[9].ours->runs.at(0).directory == directory / "big");
  CHECK(rows.back().name == directory / "other");
  CHECK_FALSE(rows.back().paper.bleu_en_de);

  CHECK_THAT(format_text(rows), Catch::Contains("\nTransformer (big) ") && Catch::Contains(" 21.5 ") &&
                                    Catch::Contains("1.6e+16") && Catch::Contains("\nByteNet "));
  const Json json = Json::parse(format_json(rows)).at("rows");
  REQUIRE(json.size() == rows.size());
  CHECK(json[0].at("training_flops").is_null());
  CHECK(json[9].at("paper_bleu_en_fr") == 41.8);
  CHECK(json[9].at("runs")[0].at("step") == 100);
  CHECK(json[9].at("runs")[0].at("devices") == 8);
  CHECK(json[9].at("bleu") == 21.5);
  CHECK(json[9].at("training_flops_by_time") == 1000 * 8 * 2e12);
}

}  // namespace transformer

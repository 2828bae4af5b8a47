#include "paper_tables/table2.h"

#include <fmt/core.h>

#include "base/format.h"
#include "base/json.h"
#include "model/model_cost.h"
#include "reporting/text_table.h"

namespace transformer {
namespace {

/// A cell that `text_of` computes from the row's first run.
template <class TextOf>
std::string run_cell(const Table2Comparison& row, TextOf text_of) {
  return row.ours && !row.ours->runs.empty() ? text_of(row.ours->runs.front()) : "-";
}

/// Without trailing zeros, so the paper's 26.30 is 26.3.
std::string paper_bleu_cell(std::optional<double> bleu) { return bleu ? fmt::format("{:g}", *bleu) : "-"; }

std::vector<TableGroup> table2_groups(const std::vector<Table2Comparison>& rows) {
  using Row = Table2Comparison;
  const auto steps = [](const Row& row) { return steps_cell(row.ours ? row.ours->runs : std::vector<RunResults>()); };
  const auto devices = [](const RunResults& run) { return fmt::format("{:.3g}", run.devices); };
  const auto bleu = [](const Row& row) { return row.ours ? fixed_cell(row.ours->mean(&RunResults::bleu), 1) : "-"; };
  const auto by_time = [](const Row& row) {
    return scientific_cell(row.ours ? row.ours->training_flops_by_time : std::nullopt);
  };
  const auto counted = [](const Row& row) { return row.ours ? scientific_cell(row.ours->training_flops) : "-"; };
  return {
      {"", {table_column("system", rows, [](const Row& row) { return row.name; })}},
      {"paper: BLEU",
       {table_column("EN-DE", rows, [](const Row& row) { return paper_bleu_cell(row.paper.bleu_en_de); }),
        table_column("EN-FR", rows, [](const Row& row) { return paper_bleu_cell(row.paper.bleu_en_fr); })}},
      {"paper: FLOPs by time",
       {table_column("EN-DE", rows, [](const Row& row) { return scientific_cell(row.paper.training_flops_en_de); }),
        table_column("EN-FR", rows, [](const Row& row) { return scientific_cell(row.paper.training_flops_en_fr); })}},
      {"ours",
       {table_column("steps", rows, steps),
        table_column("devices", rows, [&](const Row& row) { return run_cell(row, devices); }),
        table_column("BLEU", rows, bleu), table_column("FLOPs by time", rows, by_time),
        table_column("counted", rows, counted)}}};
}

Json json_of(const Table2Comparison& row) {
  return {{"name", row.name},
          {"paper_bleu_en_de", json_or_null(row.paper.bleu_en_de)},
          {"paper_bleu_en_fr", json_or_null(row.paper.bleu_en_fr)},
          {"paper_training_flops_en_de", json_or_null(row.paper.training_flops_en_de)},
          {"paper_training_flops_en_fr", json_or_null(row.paper.training_flops_en_fr)},
          {"train_steps", row.ours ? Json(row.ours->config.training.train_steps) : Json()},
          {"bleu", row.ours ? json_or_null(row.ours->mean(&RunResults::bleu)) : Json()},
          {"runs", row.ours ? runs_json(row.ours->runs) : Json::array()},
          {"training_flops_by_time", row.ours ? json_or_null(row.ours->training_flops_by_time) : Json()},
          {"training_flops", row.ours ? Json(row.ours->training_flops) : Json()}};
}

}  // namespace

std::vector<Table2Comparison> compare_with_table2(const TableSources& sources) { return compare(table2(), sources); }

std::string format_text(const std::vector<Table2Comparison>& rows) {
  return fmt::format(
      "{}\n"
      "The paper's BLEU is that of newstest2014, tokenized; ours is that of the last validation, with the run's\n"
      "evaluation.tokenize, the mean of the runs that differ in the seed only. FLOPs by time: seconds x devices x\n"
      "sustained FLOP/s of each, ours with --sustained-tflops. Counted: matrix products of the run's steps, or of\n"
      "all steps of the config if there is no run, for pairs of {} + {} tokens.",
      text_table(table2_groups(rows)), kTypicalTokens, kTypicalTokens);
}

std::string format_json(const std::vector<Table2Comparison>& rows) { return json_of_rows(rows, json_of); }

}  // namespace transformer

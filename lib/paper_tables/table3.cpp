#include "paper_tables/table3.h"

#include <fmt/core.h>

#include "base/format.h"
#include "base/json.h"
#include "model/model_cost.h"
#include "reporting/text_table.h"

namespace transformer {
namespace {

using Row = Table3Comparison;

TableGroup architecture_columns(const std::vector<Row>& rows) {
  return {
      "",
      {table_column("row", rows, [](const Row& row) { return row.name; }),
       table_column("N", rows, [](const Row& row) { return fmt::format("{}", row.ours->config.model.N); }),
       table_column("d_model", rows, [](const Row& row) { return fmt::format("{}", row.ours->config.model.d_model); }),
       table_column("d_ff", rows, [](const Row& row) { return fmt::format("{}", row.ours->config.model.d_ff); }),
       table_column("h", rows, [](const Row& row) { return fmt::format("{}", row.ours->config.model.h); }),
       table_column("d_k", rows, [](const Row& row) { return fmt::format("{}", row.ours->config.model.key_size()); }),
       table_column("d_v", rows, [](const Row& row) { return fmt::format("{}", row.ours->config.model.value_size()); }),
       table_column("P_drop", rows, [](const Row& row) { return fmt::format("{:g}", row.ours->config.model.P_drop); }),
       table_column("eps_ls", rows,
                    [](const Row& row) { return fmt::format("{:g}", row.ours->config.training.eps_ls); })}};
}

std::vector<TableGroup> table_groups(const std::vector<Row>& rows) {
  const auto steps = [](const Row& row) { return steps_cell(row.ours->runs); };
  const auto millions = [](const Row& row) {
    return fmt::format("{:.1f}", static_cast<double>(row.ours->parameters) / 1e6);
  };
  return {
      architecture_columns(rows),
      {"steps",
       {table_column("config", rows,
                     [](const Row& row) { return with_thousands(row.ours->config.training.train_steps); }),
        table_column("ours", rows, steps)}},
      {"PPL",
       {table_column("paper", rows, [](const Row& row) { return fixed_cell(row.paper.perplexity, 2); }),
        table_column("ours", rows,
                     [](const Row& row) { return fixed_cell(row.ours->mean(&RunResults::perplexity), 2); }),
        table_column("spread", rows,
                     [](const Row& row) { return fixed_cell(row.ours->spread(&RunResults::perplexity), 2); })}},
      {"BLEU",
       {table_column("paper", rows, [](const Row& row) { return fixed_cell(row.paper.bleu, 1); }),
        table_column("ours", rows, [](const Row& row) { return fixed_cell(row.ours->mean(&RunResults::bleu), 1); }),
        table_column("spread", rows,
                     [](const Row& row) { return fixed_cell(row.ours->spread(&RunResults::bleu), 1); })}},
      {"params (M)",
       {table_column("paper", rows, [](const Row& row) { return fixed_cell(row.paper.parameters_millions, 0); }),
        table_column("ours", rows, millions)}},
      {"FLOPs by time",
       {table_column("paper", rows, [](const Row& row) { return scientific_cell(paper_training_flops(row.paper)); }),
        table_column("ours", rows, [](const Row& row) { return scientific_cell(row.ours->training_flops_by_time); })}},
      {"counted",
       {table_column("ours", rows, [](const Row& row) { return scientific_cell(row.ours->training_flops); })}},
  };
}

Json json_of(const Table3Comparison& row) {
  const ModelResults& ours = *row.ours;
  const ModelConfig& m = ours.config.model;
  return {{"name", row.name},
          {"N", m.N},
          {"d_model", m.d_model},
          {"d_ff", m.d_ff},
          {"h", m.h},
          {"d_k", m.key_size()},
          {"d_v", m.value_size()},
          {"P_drop", m.P_drop},
          {"eps_ls", ours.config.training.eps_ls},
          {"train_steps", ours.config.training.train_steps},
          {"vocabulary_size", ours.vocabularies.target()},
          {"parameters", ours.parameters},
          {"paper_parameters_millions", json_or_null(row.paper.parameters_millions)},
          {"paper_perplexity", json_or_null(row.paper.perplexity)},
          {"paper_bleu", json_or_null(row.paper.bleu)},
          {"paper_training_flops", json_or_null(paper_training_flops(row.paper))},
          {"perplexity", json_or_null(ours.mean(&RunResults::perplexity))},
          {"perplexity_spread", json_or_null(ours.spread(&RunResults::perplexity))},
          {"bleu", json_or_null(ours.mean(&RunResults::bleu))},
          {"bleu_spread", json_or_null(ours.spread(&RunResults::bleu))},
          {"runs", runs_json(ours.runs)},
          {"training_flops_by_time", json_or_null(ours.training_flops_by_time)},
          {"training_flops", ours.training_flops}};
}

}  // namespace

std::vector<Table3Comparison> compare_with_table3(const TableSources& sources) { return compare(table3(), sources); }

std::optional<double> paper_training_flops(const Table3Row& paper) {
  if (!paper.training_hours) return std::nullopt;
  return training_flops_by_time(3600 * *paper.training_hours, kPaperDevices, kPaperSustainedFlops);
}

std::string format_text(const std::vector<Table3Comparison>& rows) {
  return fmt::format(
      "{}\n"
      "The paper's PPL and BLEU are those of newstest2013; ours are those of the last validation, PPL per word piece\n"
      "and BLEU with the run's evaluation.tokenize. Runs that differ in the seed only share a row: ours is their\n"
      "mean, spread the highest minus the lowest. FLOPs by time: seconds x devices x sustained FLOP/s; the paper's\n"
      "on 8 P100 of 9.5 TFLOP/s, ours on the run's devices of --sustained-tflops each. Counted: matrix products, for\n"
      "pairs of {} + {} tokens.",
      text_table(table_groups(rows)), kTypicalTokens, kTypicalTokens);
}

std::string format_json(const std::vector<Table3Comparison>& rows) { return json_of_rows(rows, json_of); }

}  // namespace transformer

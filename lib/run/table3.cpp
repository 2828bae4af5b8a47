#include "run/table3.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "base/error.h"
#include "base/format.h"
#include "base/json.h"
#include "base/read_file.h"
#include "model/model_cost.h"
#include "reporting/metrics.h"
#include "reporting/text_table.h"
#include "training/run_directory.h"

namespace transformer {
namespace {

RunResults read_run(const std::string& path) {
  const RunDirectory directory(path);
  if (!std::filesystem::is_regular_file(directory.config())) {
    throw Error("{}: there is no run directory (no {}); check the path", path, directory.config());
  }
  RunResults run;
  run.directory = path;
  run.config = parse_config(read_file(directory.config()), directory.config());
  if (!std::filesystem::exists(directory.metrics())) return run;
  for (const Metrics& line : read_metrics(directory.metrics())) {
    run.step = line.step;
    run.seconds = line.value("seconds").value_or(run.seconds);
    if (const auto perplexity = line.value("valid_perplexity")) run.perplexity = perplexity;
    if (const auto bleu = line.value("valid_bleu")) run.bleu = bleu;
  }
  return run;
}

/// Whether both have the same model and label smoothing, in which the rows of Table 3 differ.
bool is_same_row(const Config& one, const Config& other) {
  const auto model_of = [](const Config& config) {
    Config model;
    model.model = config.model;
    model.model.d_k = config.model.key_size();
    model.model.d_v = config.model.value_size();
    return model;
  };
  return config_differences(model_of(one), model_of(other), {}).empty() && one.training.eps_ls == other.training.eps_ls;
}

std::vector<Table3Comparison> rows_of_paper(const Table3Sources& sources) {
  if (!std::filesystem::is_directory(sources.configs)) {
    throw UsageError(
        "{}: there is no such directory (looked for it from {}); give the program's configs with --configs DIR",
        sources.configs, std::filesystem::current_path().string());
  }
  std::vector<Table3Comparison> rows;
  for (const Table3Row& paper : table3()) {
    Table3Comparison row;
    row.name = paper.name;
    row.paper = paper;
    row.config = load_config(fmt::format("{}/{}", sources.configs, paper.config), sources.overrides);
    rows.push_back(std::move(row));
  }
  return rows;
}

void add_run(std::vector<Table3Comparison>& rows, RunResults run) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Table3Comparison& candidate) {
    return !candidate.run && is_same_row(run.config, candidate.config);
  });
  if (row == rows.end()) {
    Table3Comparison own;
    own.name = run.directory;
    own.config = run.config;
    own.run = std::move(run);
    rows.push_back(std::move(own));
  } else {
    row->config = run.config;
    row->run = std::move(run);
  }
}

void add_costs(Table3Comparison& row, std::optional<double> sustained_tflops) {
  const TrainingConfig& training = row.config.training;
  const int64_t vocabulary_size = row.config.data.vocabulary_size;
  row.parameters = num_parameters(row.config.model, vocabulary_size);
  row.training_flops = training_flops(row.config.model, vocabulary_size, training.batch_tokens,
                                      row.run ? row.run->step : training.train_steps);
  if (row.paper.training_hours) {
    row.paper_training_flops =
        estimated_training_flops(3600 * *row.paper.training_hours, kPaperDevices, kPaperSustainedFlops);
  }
  if (row.run && sustained_tflops) {
    row.training_flops_by_time = estimated_training_flops(row.run->seconds, /*devices=*/1, 1e12 * *sustained_tflops);
  }
}

/// A column whose cells `text_of` computes from the rows.
template <class TextOf>
TableColumn column(const std::string& heading, const std::vector<Table3Comparison>& rows, TextOf text_of) {
  TableColumn made{heading, {}};
  for (const auto& row : rows) made.cells.push_back(text_of(row));
  return made;
}

using Row = Table3Comparison;

std::string number(std::optional<double> value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}
std::string flops(std::optional<double> value) { return value ? fmt::format("{:.1e}", *value) : "-"; }

TableGroup architecture_columns(const std::vector<Row>& rows) {
  return {"",
          {column("row", rows, [](const Row& row) { return row.name; }),
           column("N", rows, [](const Row& row) { return fmt::format("{}", row.config.model.N); }),
           column("d_model", rows, [](const Row& row) { return fmt::format("{}", row.config.model.d_model); }),
           column("d_ff", rows, [](const Row& row) { return fmt::format("{}", row.config.model.d_ff); }),
           column("h", rows, [](const Row& row) { return fmt::format("{}", row.config.model.h); }),
           column("d_k", rows, [](const Row& row) { return fmt::format("{}", row.config.model.key_size()); }),
           column("d_v", rows, [](const Row& row) { return fmt::format("{}", row.config.model.value_size()); }),
           column("P_drop", rows, [](const Row& row) { return fmt::format("{:g}", row.config.model.P_drop); }),
           column("eps_ls", rows, [](const Row& row) { return fmt::format("{:g}", row.config.training.eps_ls); })}};
}

std::vector<TableGroup> table_groups(const std::vector<Row>& rows) {
  const auto steps = [](const Row& row) { return row.run ? with_thousands(row.run->step) : "-"; };
  const auto perplexity = [](const Row& row) { return number(row.run ? row.run->perplexity : std::nullopt, 2); };
  const auto bleu = [](const Row& row) { return number(row.run ? row.run->bleu : std::nullopt, 1); };
  const auto millions = [](const Row& row) { return fmt::format("{:.1f}", static_cast<double>(row.parameters) / 1e6); };
  return {
      architecture_columns(rows),
      {"steps",
       {column("config", rows, [](const Row& row) { return with_thousands(row.config.training.train_steps); }),
        column("ours", rows, steps)}},
      {"PPL",
       {column("paper", rows, [](const Row& row) { return number(row.paper.perplexity, 2); }),
        column("ours", rows, perplexity)}},
      {"BLEU",
       {column("paper", rows, [](const Row& row) { return number(row.paper.bleu, 1); }), column("ours", rows, bleu)}},
      {"params (M)",
       {column("paper", rows, [](const Row& row) { return number(row.paper.parameters_millions, 0); }),
        column("ours", rows, millions)}},
      {"FLOPs by time",
       {column("paper", rows, [](const Row& row) { return flops(row.paper_training_flops); }),
        column("ours", rows, [](const Row& row) { return flops(row.training_flops_by_time); })}},
      {"counted", {column("ours", rows, [](const Row& row) { return flops(row.training_flops); })}},
  };
}

/// A value or null.
template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json json_of(const Table3Comparison& row) {
  const ModelConfig& m = row.config.model;
  return {{"name", row.name},
          {"N", m.N},
          {"d_model", m.d_model},
          {"d_ff", m.d_ff},
          {"h", m.h},
          {"d_k", m.key_size()},
          {"d_v", m.value_size()},
          {"P_drop", m.P_drop},
          {"eps_ls", row.config.training.eps_ls},
          {"train_steps", row.config.training.train_steps},
          {"vocabulary_size", row.config.data.vocabulary_size},
          {"parameters", row.parameters},
          {"paper_parameters_millions", json_of(row.paper.parameters_millions)},
          {"paper_perplexity", json_of(row.paper.perplexity)},
          {"paper_bleu", json_of(row.paper.bleu)},
          {"paper_training_flops", json_of(row.paper_training_flops)},
          {"run", row.run ? Json(row.run->directory) : Json()},
          {"step", row.run ? Json(row.run->step) : Json()},
          {"perplexity", row.run ? json_of(row.run->perplexity) : Json()},
          {"bleu", row.run ? json_of(row.run->bleu) : Json()},
          {"training_flops_by_time", json_of(row.training_flops_by_time)},
          {"training_flops", row.training_flops}};
}

}  // namespace

std::vector<Table3Comparison> compare_with_table3(const Table3Sources& sources) {
  std::vector<Table3Comparison> rows = rows_of_paper(sources);
  for (const std::string& path : sources.runs) add_run(rows, read_run(path));
  for (Table3Comparison& row : rows) add_costs(row, sources.sustained_tflops);
  return rows;
}

std::string format_text(const std::vector<Table3Comparison>& rows) {
  std::string text;
  for (const auto& line : text_table(table_groups(rows))) text += line + "\n";
  return fmt::format(
      "{}"
      "The paper's PPL and BLEU are those of newstest2013; ours are those of the last validation, PPL per word piece "
      "and BLEU with\n"
      "13a tokenization. FLOPs by time: seconds x devices x sustained FLOPS; the paper's on 8 P100 of 9.5 TFLOPS, ours "
      "on one device of\n"
      "--sustained-tflops. Counted: matrix products, for pairs of {} + {} tokens.",
      text, kTypicalTokens, kTypicalTokens);
}

std::string format_json(const std::vector<Table3Comparison>& rows) {
  Json json = {{"rows", Json::array()}};
  for (const Table3Comparison& row : rows) json["rows"].push_back(json_of(row));
  return json_text(json);
}

}  // namespace transformer

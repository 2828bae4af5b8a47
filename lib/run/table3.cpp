#include "run/table3.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>

#include "base/error.h"
#include "base/json.h"
#include "base/read_file.h"
#include "config/config.h"
#include "model/flops.h"
#include "model/parameter_count.h"
#include "reporting/metrics.h"
#include "reporting/table3.h"
#include "reporting/text_table.h"
#include "training/run_directory.h"

namespace transformer {
namespace {

/// What a run directory tells of itself.
struct RunFigures {
  std::string directory;
  Config config;
  int64_t vocabulary_size = 0;
  int64_t step = 0;
  double seconds = 0;
  std::optional<double> perplexity, bleu;  // of the last validation
};

/// A row of the table as it is printed.
struct Row {
  Table3Row paper;  // empty for a run that is no row of the table
  Config config;
  int64_t vocabulary_size = 0;
  std::optional<RunFigures> run;
};

RunFigures read_run(const std::string& path) {
  const RunDirectory directory(path);
  if (!std::filesystem::is_regular_file(directory.config())) {
    throw Error(path, ": there is no run directory (no ", directory.config(), "); check the path");
  }
  RunFigures run;
  run.directory = path;
  run.config = parse_config(read_file(directory.config()), directory.config());
  run.vocabulary_size = run.config.data.vocabulary_size;
  if (!std::filesystem::exists(directory.metrics())) return run;
  for (const Metrics& line : read_metrics(directory.metrics())) {
    run.step = line.step;
    run.seconds = line.value("seconds").value_or(run.seconds);
    if (const auto perplexity = line.value("valid_perplexity")) run.perplexity = perplexity;
    if (const auto bleu = line.value("valid_bleu")) run.bleu = bleu;
  }
  return run;
}

/// What a row of Table 3 is told by: the model, and the smoothing of the loss.
bool is_row(const Config& run, const Config& row) {
  ModelConfig a = run.model, b = row.model;
  for (ModelConfig* model : {&a, &b}) {
    model->d_k = model->key_size();
    model->d_v = model->value_size();
  }
  Config first, second;
  first.model = a;
  second.model = b;
  return config_differences(first, second, {}).empty() && run.training.eps_ls == row.training.eps_ls;
}

std::vector<Row> collect(const Table3Options& options, const std::vector<std::string>& overrides) {
  if (!std::filesystem::is_directory(options.configs)) {
    throw UsageError(options.configs, ": there is no such directory (looked for it from ",
                     std::filesystem::current_path().string(), "); give the program's configs with --configs DIR");
  }
  std::vector<Row> rows;
  for (const Table3Row& paper : table3()) {
    const Config config = load_config(concat(options.configs, "/", paper.config), overrides);
    rows.push_back({paper, config, config.data.vocabulary_size, {}});
  }
  for (const std::string& path : options.runs) {
    RunFigures run = read_run(path);
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& candidate) {
      return !candidate.run && is_row(run.config, candidate.config);
    });
    if (row != rows.end()) {
      row->config.training.train_steps = run.config.training.train_steps;
      row->config.training.batch_tokens = run.config.training.batch_tokens;
      row->vocabulary_size = run.vocabulary_size;
      row->run = std::move(run);
    } else {
      rows.push_back({{}, run.config, run.vocabulary_size, run});
    }
  }
  return rows;
}

double counted_flops(const Row& row) {
  const TrainingConfig& training = row.config.training;
  return training_flops(row.config.model, row.vocabulary_size, training.batch_tokens,
                        row.run ? row.run->step : training.train_steps);
}

std::optional<double> paper_flops(const Row& row) {
  if (!row.paper.training_hours) return std::nullopt;
  return estimated_training_flops(3600 * *row.paper.training_hours, kPaperDevices, kPaperSustainedFlops);
}

std::optional<double> our_flops(const Row& row, const Table3Options& options) {
  if (!row.run || !options.sustained_tflops) return std::nullopt;
  return estimated_training_flops(row.run->seconds, /*devices=*/1, 1e12 * *options.sustained_tflops);
}

double millions(const Row& row) {
  return static_cast<double>(num_parameters(row.config.model, row.vocabulary_size)) / 1e6;
}

std::string name_of(const Row& row) {
  return row.paper.name.empty() ? row.run->directory : std::string(row.paper.name);
}

std::vector<TableGroup> groups(const std::vector<Row>& rows, const Table3Options& options) {
  const auto column = [&](const std::string& heading, const std::function<std::string(const Row&)>& cell) {
    TableColumn made{heading, {}};
    for (const Row& row : rows) made.cells.push_back(cell(row));
    return made;
  };
  const auto number = [](std::optional<double> value, int digits) { return value ? fixed(*value, digits) : "-"; };
  const auto flops = [](std::optional<double> value) { return value ? scientific(*value, 2) : "-"; };
  const auto of_run = [](const Row& row, const auto& figure) { return row.run ? figure(*row.run) : "-"; };
  return {
      {"",
       {column("row", name_of), column("N", [](const Row& row) { return concat(row.config.model.N); }),
        column("d_model", [](const Row& row) { return concat(row.config.model.d_model); }),
        column("d_ff", [](const Row& row) { return concat(row.config.model.d_ff); }),
        column("h", [](const Row& row) { return concat(row.config.model.h); }),
        column("d_k", [](const Row& row) { return concat(row.config.model.key_size()); }),
        column("d_v", [](const Row& row) { return concat(row.config.model.value_size()); }),
        column("P_drop", [](const Row& row) { return concat(row.config.model.P_drop); }),
        column("eps_ls", [](const Row& row) { return concat(row.config.training.eps_ls); })}},
      {"steps",
       {column("config", [](const Row& row) { return with_thousands(row.config.training.train_steps); }),
        column("ours",
               [&](const Row& row) { return of_run(row, [](const auto& run) { return with_thousands(run.step); }); })}},
      {"PPL",
       {column("paper", [&](const Row& row) { return number(row.paper.perplexity, 2); }),
        column(
            "ours",
            [&](const Row& row) { return of_run(row, [&](const auto& run) { return number(run.perplexity, 2); }); })}},
      {"BLEU",
       {column("paper", [&](const Row& row) { return number(row.paper.bleu, 1); }),
        column("ours",
               [&](const Row& row) { return of_run(row, [&](const auto& run) { return number(run.bleu, 1); }); })}},
      {"params (M)",
       {column("paper", [&](const Row& row) { return number(row.paper.parameters_millions, 0); }),
        column("ours", [](const Row& row) { return fixed(millions(row), 1); })}},
      {"FLOPs by time",
       {column("paper", [&](const Row& row) { return flops(paper_flops(row)); }),
        column("ours", [&](const Row& row) { return flops(our_flops(row, options)); })}},
      {"counted", {column("ours", [&](const Row& row) { return flops(counted_flops(row)); })}},
  };
}

void print_text(const std::vector<Row>& rows, const Table3Options& options) {
  for (const auto& line : text_table(groups(rows, options))) std::cout << line << "\n";
  std::cout << "The paper's PPL and BLEU are of newstest2013; ours of the last validation, per piece and 13a. FLOPs by "
               "time: seconds x devices x\nsustained FLOPS, the paper's on 8 P100 of 9.5 TFLOPS, ours on one device "
               "of --sustained-tflops. Counted: matrix products, pairs of "
            << kTypicalTokens << " + " << kTypicalTokens << ".\n";
}

void print_json(const std::vector<Row>& rows, const Table3Options& options) {
  const auto number = [](std::optional<double> value) { return value ? json_number(*value) : std::string("null"); };
  std::cout << "{\"rows\": [";
  const char* separator = "";
  for (const Row& row : rows) {
    const ModelConfig& m = row.config.model;
    std::cout << separator << "{\"name\": " << json_string(name_of(row)) << ", \"N\": " << m.N
              << ", \"d_model\": " << m.d_model << ", \"d_ff\": " << m.d_ff << ", \"h\": " << m.h
              << ", \"d_k\": " << m.key_size() << ", \"d_v\": " << m.value_size()
              << ", \"P_drop\": " << json_number(m.P_drop)
              << ", \"eps_ls\": " << json_number(row.config.training.eps_ls)
              << ", \"train_steps\": " << row.config.training.train_steps
              << ", \"vocabulary_size\": " << row.vocabulary_size
              << ", \"parameters\": " << num_parameters(m, row.vocabulary_size)
              << ", \"paper_parameters_millions\": " << number(row.paper.parameters_millions)
              << ", \"paper_perplexity\": " << number(row.paper.perplexity)
              << ", \"paper_bleu\": " << number(row.paper.bleu)
              << ", \"paper_training_flops\": " << number(paper_flops(row))
              << ", \"run\": " << (row.run ? json_string(row.run->directory) : "null")
              << ", \"step\": " << (row.run ? concat(row.run->step) : "null")
              << ", \"perplexity\": " << number(row.run ? row.run->perplexity : std::nullopt)
              << ", \"bleu\": " << number(row.run ? row.run->bleu : std::nullopt)
              << ", \"training_flops_by_time\": " << number(our_flops(row, options))
              << ", \"training_flops\": " << json_number(counted_flops(row)) << "}";
    separator = ", ";
  }
  std::cout << "]}\n";
}

}  // namespace

void print_table3(const Table3Options& options, const std::vector<std::string>& overrides, bool json) {
  const auto rows = collect(options, overrides);
  json ? print_json(rows, options) : print_text(rows, options);
}

}  // namespace transformer

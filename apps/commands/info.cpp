#include <iostream>
#include <memory>

#include "base/error.h"
#include "base/format.h"
#include "base/json.h"
#include "commands/commands.h"
#include "platform/device.h"
#include "run/loaded_model.h"
#include "model/flops.h"
#include "model/model_file.h"
#include "model/parameter_count.h"
#include "options.h"
#include "reporting/table3.h"
#include "run/table3.h"
#include "training/memory_estimate.h"

namespace transformer {
namespace {

struct InfoOptions {
  ConfigOptions config;
  std::string model;
  bool table3 = false;
  Table3Options table3_options;
  bool json = false;
};

struct Info {
  std::string name;
  Config config;
  int64_t vocabulary_size, parameters;
  std::optional<Table3Row> paper;
  double flops_per_token;  // of training, for a target token and its share of the source
  MemoryEstimate memory;
  int64_t device_tokens;
};

/// They have an effect with `table3` alone.
void add_table3_options(CLI::App& command, CLI::Option* table3, Table3Options& options) {
  command.add_option("--configs", options.configs, "With --table3: where the program's configs lie")
      ->type_name("DIR")
      ->needs(table3)
      ->capture_default_str();
  CLI::Option* run =
      command.add_option("--run", options.runs, "With --table3: a run directory, whose figures join the table")
          ->type_name("DIR")
          ->needs(table3)
          ->take_all()
          ->allow_extra_args(false);
  command
      .add_option("--sustained-tflops", options.sustained_tflops,
                  "With --run: what its device sustains, for FLOPs by time")
      ->needs(run)
      ->check(CLI::PositiveNumber);
}

/// The row of Table 3 that this config file is, as long as nobody changed the model.
std::optional<Table3Row> row_of_table3(const ConfigOptions& options) {
  for (const auto& assignment : options.overrides) {
    if (assignment.starts_with("model.")) return std::nullopt;
  }
  for (const Table3Row& row : table3()) {
    if (concat("/", options.file).ends_with(concat("/configs/", row.config))) return row;
  }
  return std::nullopt;
}

Info collect(const InfoOptions& options) {
  Info info;
  if (options.model.empty()) {
    info.name = options.config.file;
    info.config = options.config.load();
    info.vocabulary_size = info.config.data.vocabulary_size;
    info.paper = row_of_table3(options.config);
    info.parameters = num_parameters(info.config.model, info.vocabulary_size);
  } else {
    LoadedModel model = load_for_inference(options.model, torch::kCPU);
    info.name = options.model;
    info.config = model.config;
    info.vocabulary_size = model.tokenizer.size();
    info.parameters = num_parameters(info.config.model, info.vocabulary_size);
  }
  info.flops_per_token = training_flops_per_token(info.config.model, info.vocabulary_size);
  info.memory = estimate_memory(info.config.model, info.config.training.precision, info.vocabulary_size,
                                info.config.training.fused_kernels);
  info.device_tokens = info.config.training.device_tokens.value_or(fitted_device_tokens(
      info.memory, device_memory(torch::kCPU), /*on_cpu=*/true, info.config.training.batch_tokens));
  return info;
}

double all_flops(const Info& info) {
  const TrainingConfig& training = info.config.training;
  return training_flops(info.config.model, info.vocabulary_size, training.batch_tokens, training.train_steps);
}

void print_text(const Info& info) {
  const ModelConfig& m = info.config.model;
  std::cout << info.name << "\n"
            << "  model         N " << m.N << ", d_model " << m.d_model << ", d_ff " << m.d_ff << ", h " << m.h
            << ", d_k " << m.key_size() << ", d_v " << m.value_size() << ", P_drop " << m.P_drop << ", eps_ls "
            << info.config.training.eps_ls << ", " << EnumNames<Position>::names[static_cast<size_t>(m.position)]
            << " positions" << (m.r ? concat(", r ", *m.r) : "") << "\n"
            << "  vocabulary    " << with_thousands(info.vocabulary_size) << " pieces\n"
            << "  parameters    " << with_thousands(info.parameters) << " ("
            << fixed(static_cast<double>(info.parameters) / 1e6, 1) << " M";
  if (info.paper && info.paper->parameters_millions) {
    std::cout << "; Table 3, " << info.paper->name << ": " << *info.paper->parameters_millions << " M";
  }
  std::cout << ")\n"
            << "  training      " << scientific(info.flops_per_token, 3) << " FLOPs for a target token, "
            << scientific(all_flops(info), 3) << " for " << with_thousands(info.config.training.train_steps)
            << " steps of " << with_thousands(info.config.training.batch_tokens)
            << " tokens (matrix products; pairs of " << kTypicalTokens << " + " << kTypicalTokens << ")\n"
            << "  memory        about " << human_bytes(info.memory.total(info.device_tokens))
            << " to train in slices of " << with_thousands(info.device_tokens) << " tokens ("
            << EnumNames<Precision>::names[static_cast<size_t>(info.config.training.precision)]
            << "): " << human_bytes(info.memory.fixed) << " for parameters, gradients, moments and the loss, "
            << human_bytes(info.memory.per_token) << " a token\n";
}

void print_json(const Info& info) {
  std::cout << "{\"parameters\": " << info.parameters << ", \"paper_parameters_millions\": "
            << (info.paper && info.paper->parameters_millions ? json_number(*info.paper->parameters_millions) : "null")
            << ", \"vocabulary_size\": " << info.vocabulary_size
            << ", \"training_flops_per_target_token\": " << json_number(info.flops_per_token)
            << ", \"training_flops\": " << json_number(all_flops(info))
            << ", \"training_memory_bytes\": " << info.memory.total(info.device_tokens) << "}\n";
}

void run_info(const InfoOptions& options) {
  if (options.table3) {
    if (!options.config.file.empty() || !options.model.empty()) {
      throw UsageError("info: --table3 takes its rows from --configs and --run; leave out --config and --model");
    }
    print_table3(options.table3_options, options.config.overrides, options.json);
    return;
  }
  if (options.config.file.empty() == options.model.empty()) {
    throw UsageError("info: give either --config FILE, --model FILE or --table3");
  }
  if (!options.model.empty() && !options.config.overrides.empty()) {
    throw UsageError("info: --set has no effect with --model, whose config is settled");
  }
  const Info info = collect(options);
  options.json ? print_json(info) : print_text(info);
}

}  // namespace

void add_info(CLI::App& app) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command = app.add_subcommand("info", "Architecture, parameters beside the paper's, FLOPs and memory");
  add_config_options(*command, options->config);
  command->add_option("--model", options->model, "A model file or checkpoint")->type_name("FILE");
  CLI::Option* table3 =
      command->add_flag("--table3", options->table3, "All rows of Table 3 beside the paper's figures");
  add_table3_options(*command, table3, options->table3_options);
  command->add_flag("--json", options->json, "One JSON object");
  command->footer(
      "Example:\n  transformer info --config configs/base.yaml --set data.vocabulary_size=41100\n"
      "  transformer info --table3 --set data.vocabulary_size=41100 --run runs/base");
  command->callback([options] { run_info(*options); });
}

}  // namespace transformer

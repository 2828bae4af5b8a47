#include "paper_tables/model_info.h"

#include <ATen/Parallel.h>
#include <fmt/core.h>

#include <set>

#include "base/format.h"
#include "base/json.h"
#include "config/find_config.h"
#include "config/load_config.h"
#include "inference/find_model.h"
#include "inference/loaded_model.h"
#include "model/model_cost.h"
#include "paper_tables/training_forecast.h"
#include "platform/device.h"
#include "run/architecture.h"
#include "run/prepare_data.h"
#include "run/run_config.h"

namespace transformer {
namespace {

/// The row of Table 3 to which a config file belongs: it has the name of the row's config and the same architecture.
std::optional<Table3Row> row_of_table3(const std::string& file, const Config& config) {
  for (const Table3Row& row : table3()) {
    const std::string name = fmt::format("configs/{}", row.config);
    if (!fmt::format("/{}", file).ends_with("/" + name)) continue;
    const std::string original = find_program_config(name);
    if (!original.empty() && architecture_differences(load_config(original, {}).model, config.model).empty())
      return row;
  }
  return std::nullopt;
}

ModelInfo info_of(const std::string& name, const Config& config, VocabularySizes vocabularies) {
  const TrainingConfig& training = config.training;
  const auto num_workers = static_cast<int>(training.workers.value_or(at::get_num_threads()));
  ModelInfo info{
      .name = name,
      .config = config,
      .vocabularies = vocabularies,
      .parameters = num_parameters(config.model, vocabularies),
      .paper = std::nullopt,
      .training_flops_per_token = training_flops_per_token(config.model, vocabularies),
      .training_flops = training_flops(config.model, vocabularies, training.batch_tokens, training.train_steps),
      .memory = estimate_memory(config.model, vocabularies, training, /*is_gpu=*/false, /*num_ranks=*/1, num_workers)};
  info.device_tokens = training.device_tokens.value_or(
      fitted_device_tokens(info.memory, device_memory(torch::kCPU), /*is_gpu=*/false, training.batch_tokens));
  return info;
}

/// ", activation swish": what makes it another model than the paper's, beside the keys that `architecture` shows.
std::string other_keys(const ModelConfig& m) {
  static const std::set<std::string> kShown = {"model.N",   "model.d_model", "model.d_ff",     "model.h",
                                               "model.d_k", "model.d_v",     "model.position", "model.r"};
  std::string text;
  for (const KeyDifference& difference : architecture_differences(ModelConfig(), m)) {
    if (kShown.contains(difference.key)) continue;
    text += fmt::format(", {} {}", last_part(difference.key), value_text(difference.here));
  }
  return text;
}

std::string architecture(const ModelInfo& info) {
  const ModelConfig& m = info.config.model;
  return fmt::format("N {}, d_model {}, d_ff {}, h {}, d_k {}, d_v {}, P_drop {:g}, eps_ls {:g}, {} positions{}{}", m.N,
                     m.d_model, m.d_ff, m.h, m.key_size(), m.value_size(), m.P_drop, info.config.training.eps_ls,
                     name_of(m.position), m.r ? fmt::format(", r {}", *m.r) : "", other_keys(m));
}

std::string vocabulary(const ModelInfo& info) {
  const std::string target = with_thousands(info.vocabularies.target());
  if (info.vocabularies.are_shared()) return target + " pieces";
  return fmt::format("{} pieces of the source, {} of the target", with_thousands(info.vocabularies.source()), target);
}

std::string parameters(const ModelInfo& info) {
  const std::string paper =
      info.paper && info.paper->parameters_millions
          ? fmt::format("; Table 3, {}: {:g} M", info.paper->name, *info.paper->parameters_millions)
          : "";
  return fmt::format("{} ({:.1f} M{})", with_thousands(info.parameters), static_cast<double>(info.parameters) / 1e6,
                     paper);
}

/// "8 P100 10.0 h at 35 % of 9.5 TFLOP/s", one machine after the other.
std::string forecast(double flops) {
  std::string text;
  for (const GpuMachine& machine : kGpuMachines) {
    text += fmt::format("{}{} {} {:.1f} h at {:.0f} % of {:g} TFLOP/s", text.empty() ? "" : "; ", machine.num_gpus,
                        machine.gpu, machine.hours(flops), 100 * machine.utilization, machine.rated_flops / 1e12);
  }
  return text;
}

Json forecast_json(double flops) {
  Json forecasts = Json::array();
  for (const GpuMachine& machine : kGpuMachines) {
    forecasts.push_back({{"gpu", machine.gpu},
                         {"gpus", machine.num_gpus},
                         {"utilization", machine.utilization},
                         {"hours", machine.hours(flops)},
                         {"gpu_hours", machine.gpu_hours(flops)}});
  }
  return forecasts;
}

}  // namespace

ModelInfo info_of_config(const ConfigSource& source) {
  const Config config = source.load();
  ModelInfo info = info_of(source.file, config, vocabulary_sizes(config));
  info.paper = row_of_table3(source.file, config);
  return info;
}

ModelInfo info_of_model(const std::string& path) {
  const std::string found = find_and_log_model(path);
  const ModelFile file = load_model(found);
  const LoadedModel model = build_model(file, found, found, torch::kCPU);
  return info_of(path, config_of_model(file, found), model.tokenizers.sizes());
}

int64_t ModelInfo::training_bytes() const {
  return saturated(static_cast<double>(kProgramBytes) + static_cast<double>(memory.total(device_tokens)) +
                   static_cast<double>(memory.checkpoint));
}

std::string format_text(const ModelInfo& info) {
  const TrainingConfig& training = info.config.training;
  return fmt::format(
      "{}\n"
      "  model         {}\n"
      "  vocabulary    {}\n"
      "  parameters    {}\n"
      "  training      {:.2e} FLOPs for a target token, {:.2e} for {} steps of {} tokens (matrix products; pairs of {} "
      "+ {})\n"
      "  forecast      {}\n"
      "  memory        about {} to train on this CPU in micro-batches of {} tokens ({}): {} for the program, {} for "
      "parameters, their copies{}, gradients, moments and the loss, {} for a checkpoint that is being "
      "written, {} a "
      "token",
      info.name, architecture(info), vocabulary(info), parameters(info), info.training_flops_per_token,
      info.training_flops, with_thousands(training.train_steps), with_thousands(training.batch_tokens), kTypicalTokens,
      kTypicalTokens, forecast(info.training_flops), human_bytes(info.training_bytes()),
      with_thousands(info.device_tokens), name_of(precision_on(/*is_gpu=*/false, training.precision)),
      human_bytes(ModelInfo::kProgramBytes), human_bytes(info.memory.fixed),
      training.ema_decay ? " and moving average" : "", human_bytes(info.memory.checkpoint),
      human_bytes(info.memory.per_token));
}

std::string format_json(const ModelInfo& info) {
  Json json = {{"parameters", info.parameters},
               {"paper_parameters_millions", nullptr},
               {"vocabulary_size", info.vocabularies.target()},
               {"source_vocabulary_size", info.vocabularies.source()},
               {"training_flops_per_target_token", info.training_flops_per_token},
               {"training_flops", info.training_flops},
               {"training_memory_bytes", info.training_bytes()},
               {"forecast", forecast_json(info.training_flops)}};
  if (info.paper && info.paper->parameters_millions) {
    json["paper_parameters_millions"] = *info.paper->parameters_millions;
  }
  return json_text(json);
}

}  // namespace transformer

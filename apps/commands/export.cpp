#include <fmt/ranges.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/command_files.h"
#include "base/error.h"
#include "base/log.h"
#include "commands/commands.h"
#include "export/ctranslate2.h"
#include "export/safetensors_export.h"
#include "inference/find_model.h"
#include "inference/loaded_model.h"
#include "model/model_file.h"
#include "options.h"

namespace transformer {

enum class ExportFormat { safetensors, ctranslate2 };

template <>
struct EnumNames<ExportFormat> {
  static constexpr std::array names = {"safetensors", "ctranslate2"};
};

namespace {

struct ExportOptions {
  std::string model, output;
  ExportFormat format = ExportFormat::safetensors;
  std::optional<Quantization> quantization;
};

void log_written(const std::vector<std::string>& files) { log_info("wrote {}", fmt::join(files, ", ")); }

void run_export(const ExportOptions& options) {
  check_is_not_stdout(options.output);
  if (options.format == ExportFormat::safetensors) {
    if (options.quantization) {
      throw UsageError("--quantization: safetensors holds the parameters in fp32; give --format ctranslate2");
    }
    const std::string path = find_and_log_model(options.model);
    const ModelFile model = load_model(path);
    check_finite(model.parameters, path);
    log_written(export_safetensors(model, options.output));
  } else {
    const LoadedModel model = load_for_inference(options.model, torch::kCPU);
    log_written(export_ctranslate2(model.network, model.tokenizers,
                                   options.quantization.value_or(Quantization::float32), options.output));
  }
}

}  // namespace

void add_export(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand("export", "Write a model as safetensors or for CTranslate2");
  add_model_option(*command, options->model)->required();
  accept_names(command->add_option("--format", options->format,
                                   "safetensors: parameters by name, config and vocabulary; ctranslate2: a model for "
                                   "CTranslate2; default: safetensors"),
               named_values<ExportFormat>());
  accept_names(command->add_option("--quantization", options->quantization,
                                   "With --format ctranslate2: matrices in fp32, or in int8 with a scale for each row; "
                                   "default: float32"),
               named_values<Quantization>());
  command->add_option("-o,--output", options->output, "Directory to write")->required()->type_name("DIR");
  add_log_options(*command);
  command->footer("Example:\n  transformer export --model runs/sample/averaged.pt -o runs/sample/export");
  command->callback([options] { run_export(*options); });
}

}  // namespace transformer

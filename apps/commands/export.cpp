#include <fmt/ranges.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/command_files.h"
#include "base/error.h"
#include "base/log.h"
#include "commands/commands.h"
#include "export/ctranslate2.h"
#include "export/marian.h"
#include "export/marianmt.h"
#include "export/safetensors_export.h"
#include "inference/find_model.h"
#include "inference/loaded_model.h"
#include "model/model_file.h"
#include "model/stored_type.h"
#include "options.h"

namespace transformer {

enum class ExportFormat { safetensors, ctranslate2, marianmt, marian };

/// The type of the exported matrices.
enum class ExportedType { float32, bfloat16, int8 };

template <>
struct EnumNames<ExportFormat> {
  static constexpr std::array names = {"safetensors", "ctranslate2", "marianmt", "marian"};
};

template <>
struct EnumNames<ExportedType> {
  static constexpr std::array names = {"float32", "bfloat16", "int8"};
};

namespace {

struct ExportOptions {
  std::string model, output;
  ExportFormat format = ExportFormat::safetensors;
  ExportedType type = ExportedType::float32;
};

StoredType stored_type(ExportedType type) {
  switch (type) {
    case ExportedType::float32:
      return StoredType::fp32;
    case ExportedType::bfloat16:
      return StoredType::bf16;
    case ExportedType::int8:
      return StoredType::int8;
  }
  TORCH_CHECK(false, "unknown type");
}

void log_written(const std::vector<std::string>& files) { log_info("wrote {}", fmt::join(files, ", ")); }

void run_export(const ExportOptions& options) {
  check_is_not_stdout(options.output);
  const bool is_fp32_only = options.format == ExportFormat::marianmt || options.format == ExportFormat::marian;
  if (is_fp32_only && options.type != ExportedType::float32) {
    throw UsageError("--quantization: {} holds the parameters in fp32; give --format safetensors or ctranslate2",
                     name_of(options.format));
  }
  if (options.format == ExportFormat::ctranslate2 && options.type == ExportedType::bfloat16) {
    throw UsageError("--quantization bfloat16: is for --format safetensors; give float32 or int8");
  }
  if (options.format == ExportFormat::safetensors) {
    const std::string path = find_and_log_model(options.model);
    ModelFile model = load_model(path);
    check_finite(model.parameters, path);
    model.parameters = to_stored_type(model.parameters, stored_type(options.type));
    log_written(export_safetensors(model, options.output));
    return;
  }
  const LoadedModel model = load_for_inference(options.model, torch::kCPU);
  if (options.format == ExportFormat::ctranslate2) {
    const auto quantization = options.type == ExportedType::int8 ? Quantization::int8 : Quantization::float32;
    log_written(export_ctranslate2(model.network, model.tokenizers, quantization, options.output));
    return;
  }
  const NamedTensors parameters = copy_parameters(*model.network);
  const ExportedModel exported{model.config.model, model.config.decoding, parameters, model.tokenizers};
  const auto export_model = options.format == ExportFormat::marianmt ? export_marianmt : export_marian;
  log_written(export_model(exported, options.output));
}

}  // namespace

void add_export(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command =
      app.add_subcommand("export", "Write a model as safetensors, or for CTranslate2, transformers or Marian");
  add_model_option(*command, options->model)->required();
  accept_names<ExportFormat>(
      command->add_option("--format", options->format,
                          "safetensors: a model file and its vocabularies; ctranslate2, marianmt, marian: a model for "
                          "CTranslate2, Hugging Face's MarianMT or Marian; default: safetensors"));
  accept_names<ExportedType>(
      command->add_option("--quantization", options->type,
                          "Type of the matrices: float32; bfloat16, with --format safetensors; int8, with a "
                          "scale for each row and --format safetensors or ctranslate2; default: float32"));
  command->add_option("-o,--output", options->output, "Directory to write")->required()->type_name("DIR");
  add_log_options(*command);
  command->footer("Example:\n  transformer export --model runs/sample/averaged.safetensors -o runs/sample/export");
  command->callback([options] { run_export(*options); });
}

}  // namespace transformer

#include <memory>

#include "base/log.h"
#include "commands/commands.h"
#include "export/model_export.h"
#include "options.h"

namespace transformer {
namespace {

struct ExportOptions {
  std::string model, format = "safetensors", output;
};

void run_export(const ExportOptions& options) {
  TORCH_CHECK(options.format == "safetensors", options.format);
  export_safetensors(load_model(options.model), options.output);
  const ExportedFiles files(options.output);
  log_info("wrote ", files.parameters, " and ", files.vocabulary);
}

}  // namespace

void add_export(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand("export", "A model's parameters, config and vocabulary for other programs");
  command->add_option("--model", options->model, "A model file or checkpoint")->required()->type_name("FILE");
  command->add_option("--format", options->format, "The form to write")
      ->check(CLI::IsMember({"safetensors"}))
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "The directory to write")->required()->type_name("DIR");
  add_log_options(*command);
  command->footer("Example:\n  transformer export --model runs/sample/averaged.pt -o runs/sample/export");
  command->callback([options] { run_export(*options); });
}

}  // namespace transformer

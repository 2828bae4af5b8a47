#include <memory>

#include "base/log.h"
#include "commands/commands.h"
#include "export/safetensors_export.h"
#include "options.h"
#include "run/command_files.h"
#include "run/loaded_model.h"

namespace transformer {
namespace {

struct ImportOptions {
  std::string input, output;
};

void run_import(const ImportOptions& options) {
  const SafetensorsFiles files(options.input);
  check_model_output(options.output,
                     {files.parameters, files.vocabulary_models.source, files.vocabulary_models.target});
  ModelFile model = import_safetensors(options.input);
  // Building the model checks that its parts fit together and converts parameters of other types to fp32.
  model.parameters =
      copy_parameters(*build_model(model, files.parameters, files.vocabulary_models.target, torch::kCPU).network);
  save_model(options.output, model);
  log_info("wrote {}", options.output);
}

}  // namespace

void add_import(CLI::App& app) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* command = app.add_subcommand("import", "Write a model file from a directory in the safetensors format");
  command->add_option("--input", options->input, "Directory that export wrote")->required()->type_name("DIR");
  command->add_option("-o,--output", options->output, "Model file to write")->required()->type_name("FILE");
  add_log_options(*command);
  command->footer("Example:\n  transformer import --input runs/sample/export -o runs/sample/imported.pt");
  command->callback([options] { run_import(*options); });
}

}  // namespace transformer

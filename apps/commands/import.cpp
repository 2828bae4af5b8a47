#include <memory>

#include "base/log.h"
#include "commands/commands.h"
#include "export/model_export.h"
#include "run/loaded_model.h"
#include "options.h"

namespace transformer {
namespace {

struct ImportOptions {
  std::string input, output;
};

void run_import(const ImportOptions& options) {
  const ExportedFiles files(options.input);
  ModelFile model = import_safetensors(options.input);
  // What does not fit together fails here; parameters of another type become the network's fp32.
  model.parameters = copy_parameters(*assemble(model, files.parameters, files.vocabulary, torch::kCPU).network);
  save_model(options.output, model);
  log_info("wrote ", options.output);
}

}  // namespace

void add_import(CLI::App& app) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* command = app.add_subcommand("import", "A model file from what export wrote");
  command->add_option("--input", options->input, "A directory that export wrote")->required()->type_name("DIR");
  command->add_option("-o,--output", options->output, "The model file to write")->required()->type_name("FILE");
  add_log_options(*command);
  command->footer("Example:\n  transformer import --input runs/sample/export -o runs/sample/imported.pt");
  command->callback([options] { run_import(*options); });
}

}  // namespace transformer

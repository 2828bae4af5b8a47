#include <memory>

#include "commands/commands.h"
#include "import/import_model.h"
#include "options.h"

namespace transformer {
namespace {

struct ImportOptions {
  std::string input, output;
};

}  // namespace

void add_import(CLI::App& app) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* command = app.add_subcommand("import", "Write a model file from a directory in the safetensors format");
  command->add_option("-i,--input", options->input, "Directory that export wrote")->required()->type_name("DIR");
  command->add_option("-o,--output", options->output, "Model file to write")->required()->type_name("FILE");
  add_log_options(*command);
  command->footer("Example:\n  transformer import --input runs/sample/export -o runs/sample/imported.pt");
  command->callback([options] { import_model(options->input, options->output); });
}

}  // namespace transformer

#include <iostream>
#include <memory>
#include <optional>

#include "commands/commands.h"
#include "import/import_model.h"
#include "options.h"
#include "platform/malloc_policy.h"

namespace transformer {
namespace {

struct ImportOptions {
  std::string input, output;
  std::optional<std::string> check_text;
};

void run_import(const ImportOptions& options) {
  set_malloc_policy(MallocPolicy::return_large_blocks);
  std::cout << import_model(options.input, options.output, options.check_text);
}

}  // namespace

void add_import(CLI::App& app) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* command =
      app.add_subcommand("import", "Write a model file from a model of another program, or from an export");
  command
      ->add_option(
          "path,-i,--input", options->input,
          "Model of Marian, MarianMT (Hugging Face), CTranslate2, argos-translate, fairseq, OpenNMT-py or eole, or "
          "directory that export wrote")
      ->required()
      ->type_name("PATH");
  command->add_option("-o,--output", options->output, "Model file to write")->required()->type_name("FILE");
  command
      ->add_option("--check", options->check_text,
                   "Print how the model's own program is asked for translations of this text and, if python3 has it, "
                   "how they compare")
      ->type_name("TEXT");
  add_log_options(*command);
  command->footer("Example:\n  transformer import opus-mt-en-de -o en-de.safetensors");
  command->callback([options] { run_import(*options); });
}

}  // namespace transformer

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/line_writer.h"
#include "base/mapped_file.h"
#include "base/signals.h"
#include "base/standard_descriptors.h"
#include "command_line/help_formatter.h"
#include "command_line/home_in_arguments.h"
#include "commands/commands.h"
#include "errors.h"
#include "options.h"
#include "platform/cpu_features.h"
#include "platform/malloc_policy.h"
#include "system/version.h"

using namespace transformer;

namespace {

/// Lists the commands in --help under "Commands", where CLI11 writes "Subcommands".
void name_commands(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    command->group("Commands");
    name_commands(*command);
  }
}

/// Runs the command and returns the program's exit status.
int run(int argc, char** argv) {
  occupy_standard_descriptors();
  make_write_signals_errors();
  use_one_heap();
  end_program_where_files_shrink();
  CLI::App app("Trains and runs the Transformer of \"Attention Is All You Need\".", "transformer");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("-V,--version", version_line, "Print the versions of the program and of LibTorch");
  add_config(app);
  add_preprocess(app);
  add_train(app);
  add_average_checkpoints(app);
  add_translate(app);
  add_serve(app);
  add_score(app);
  add_attention(app);
  add_eval_bleu(app);
  add_eval_parse(app);
  add_trees(app);
  add_info(app);
  add_report(app);
  add_export(app);
  add_import(app);
  add_benchmark(app);
  add_doctor(app);
  add_help(app);
  add_completion(app);
  app.require_subcommand(1);
  name_commands(app);
  refuse_meaningless_values(app);
  try {
    try {
      check_instruction_set_variable();
      const auto arguments = arguments_with_home(argc, argv);
      std::vector<const char*> pointers;
      for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
      app.parse(argc, pointers.data());
    } catch (const CLI::Success& help_or_version) {
      app.exit(help_or_version);
    }
    if (!std::cout.flush()) throw_stdout_error();
    return 0;
  } catch (...) {
    return report_current_exception(app);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int status = run(argc, argv);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return status;  // the sanitizers report when the program exits
#else
  // Without the destructors of LibTorch's static objects, which take 0.1 s and do nothing that outlives the process.
  std::fflush(nullptr);
  std::quick_exit(status);
#endif
}

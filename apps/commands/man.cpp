#include <iostream>
#include <memory>

#include "base/atomic_file.h"
#include "base/build_info.h"
#include "base/error.h"
#include "base/make_directory.h"
#include "command_line/find_command.h"
#include "command_line/manual_page.h"
#include "commands/commands.h"

namespace transformer {
namespace {

struct ManOptions {
  std::vector<std::string> command;  // the words of its name
  std::string output;
};

void write_pages(const CommandDescription& program, const std::string& directory) {
  make_directory(directory);
  for (const CommandDescription* command : all_commands(program)) {
    write_file_atomically(directory + "/" + manual_page_name(*command) + ".1",
                          manual_page(*command, kBuildInfo.version));
  }
}

void run_man(const CLI::App& app, const ManOptions& options) {
  if (options.output.empty()) {
    std::cout << manual_page(describe_command(find_command(app, options.command)), kBuildInfo.version);
  } else if (options.command.empty()) {
    write_pages(describe_command(app), options.output);
  } else {
    throw UsageError("man: --output writes the pages of all commands; leave out --output or the command");
  }
}

}  // namespace

void add_man(CLI::App& app) {
  auto options = std::make_shared<ManOptions>();
  CLI::App* command = app.add_subcommand("man", "Print the manual page of the program or of a command, for man -l");
  command->add_option("command", options->command, "Command of the page; default: the program itself")
      ->type_name("COMMAND");
  command
      ->add_option("-o,--output", options->output,
                   "Write the pages of the program and of all commands to this directory instead")
      ->type_name("DIR");
  command->footer("Example:\n  transformer man train | man -l -");
  command->callback([&app, options] { run_man(app, *options); });
}

}  // namespace transformer

#include <algorithm>
#include <iostream>
#include <memory>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/make_directory.h"
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
                          manual_page(*command, TRANSFORMER_VERSION));
  }
}

void print_page(const CommandDescription& program, const std::vector<std::string>& words) {
  std::string name;
  for (const std::string& word : words) name += (name.empty() ? "" : " ") + word;
  const auto commands = all_commands(program);
  const auto command = std::find_if(commands.begin(), commands.end(),
                                    [&](const CommandDescription* candidate) { return candidate->name == name; });
  if (command == commands.end()) throw UsageError("man: there is no command '{}'; see transformer --help", name);
  std::cout << manual_page(**command, TRANSFORMER_VERSION);
}

void run_man(const CLI::App& app, const ManOptions& options) {
  const CommandDescription program = describe_program(app);
  if (options.output.empty()) {
    print_page(program, options.command);
  } else if (options.command.empty()) {
    write_pages(program, options.output);
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

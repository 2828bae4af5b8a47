#include <iostream>
#include <memory>

#include "command_line/command_description.h"
#include "command_line/find_command.h"
#include "commands/commands.h"

namespace transformer {
namespace {

struct HelpOptions {
  std::vector<std::string> command;  // the words of its name
};

void run_help(const CLI::App& app, const HelpOptions& options) {
  const CLI::App& command = find_command(app, options.command);
  // app.help() would print the help of the command that is running, `help`, and not the program's.
  std::cout << app.get_formatter()->make_help(&command, call_of(command_name(command)), CLI::AppFormatMode::Normal);
}

}  // namespace

void add_help(CLI::App& app) {
  auto options = std::make_shared<HelpOptions>();
  CLI::App* command = app.add_subcommand("help", "Show the help of the program or of a command");
  command->add_option("command", options->command, "Command to explain; default: the program itself")
      ->type_name("COMMAND");
  command->footer("Example:\n  transformer help train");
  command->callback([&app, options] { run_help(app, *options); });
}

}  // namespace transformer

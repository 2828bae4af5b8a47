#include "command_line/completion.h"

#include <array>
#include <iostream>
#include <memory>

#include "commands/commands.h"
#include "options.h"

namespace transformer {

enum class Shell { bash, zsh, fish };

template <>
struct EnumNames<Shell> {
  static constexpr std::array names = {"bash", "zsh", "fish"};
};

namespace {

struct CompletionOptions {
  Shell shell = Shell::bash;
};

void run_completion(const CLI::App& app, const CompletionOptions& options) {
  static constexpr std::array kScripts = {bash_completion, zsh_completion, fish_completion};
  std::cout << kScripts.at(static_cast<size_t>(options.shell))(describe_command(app));
}

}  // namespace

void add_completion(CLI::App& app) {
  auto options = std::make_shared<CompletionOptions>();
  CLI::App* command =
      app.add_subcommand("completion", "Print a script that completes the program's command line in a shell");
  accept_names<Shell>(command->add_option("shell", options->shell, "The shell")->required());
  command->footer("Example:\n  transformer completion bash > ~/.local/share/bash-completion/completions/transformer");
  command->callback([&app, options] { run_completion(app, *options); });
}

}  // namespace transformer

#include "errors.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/log.h"
#include "platform/out_of_memory.h"
#include "run/failure.h"

namespace transformer {
namespace {

/// What is wrong with the call. For an unknown command, CLI11 only says that a command is required.
std::string describe(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const auto is_named = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
  if (argc > 1 && app.get_subcommands(is_named).empty()) return fmt::format("unknown command '{}'", argv[1]);
  return error.what();
}

/// The command, or the command of a command, that could not parse its arguments, with "transformer" before it.
std::string command_of(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* parsed = &app; !parsed->get_subcommands().empty();) {
    parsed = parsed->get_subcommands().back();
    name += " " + parsed->get_name();
  }
  return name;
}

/// Ends the program after an exception that no function has caught. For missing memory it uses none.
void report_and_exit() {
  if (!std::current_exception()) std::abort();
  try {
    throw;
  } catch (const std::exception& exception) {
    if (!is_out_of_memory(exception)) {
      log(LogLevel::error, describe_current_exception().message);
      _exit(kFailureStatus);
    }
  } catch (...) {
    std::abort();
  }
  for (const std::string_view part : {"error: ", kOutOfMemory, "\n"}) {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, part.data(), part.size());
  }
  _exit(kFailureStatus);
}

/// The system calls it before the initializers of the shared libraries, in which memory may run out, too.
[[gnu::section(".preinit_array"), gnu::used]] void (*before_initializers)() = [] {
  std::set_terminate(report_and_exit);
};

}  // namespace

int report_current_exception(const CLI::App& app, int argc, char** argv) {
  try {
    throw;
  } catch (const CLI::ParseError& error) {
    log(LogLevel::error, fmt::format("{}; see {} --help", describe(app, error, argc, argv), command_of(app)));
    return kUsageStatus;
  } catch (const ReportedFailure& failure) {
    return failure.status();
  } catch (...) {
    const Failure failure = describe_current_exception();
    log(LogLevel::error, failure.message);
    return failure.status;
  }
}

}  // namespace transformer

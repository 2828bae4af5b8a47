#include "errors.h"

#include <fmt/core.h>

#include <string>

#include "base/error.h"
#include "base/log.h"
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

#include "errors.h"

#include <c10/util/Exception.h>

#include "base/error.h"
#include "base/log.h"
#include "platform/out_of_memory.h"
#include "distributed/process_group.h"

namespace transformer {
namespace {

constexpr int kFailed = 1, kWrongCall = 2;

/// CLI11 says of an unknown command only that one is required.
std::string complaint(const CLI::App& app, const CLI::ParseError& call, int argc, char** argv) {
  const auto is_named = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
  if (argc > 1 && app.get_subcommands(is_named).empty()) return concat("unknown command '", argv[1], "'");
  return call.what();
}

}  // namespace

Failure describe_current_exception() {
  try {
    throw;
  } catch (const UsageError& error) {
    return {kWrongCall, error.what()};
  } catch (const LostConnection& lost) {
    return {kFailed, lost.what(), /*is_of_another_rank=*/true};
  } catch (const c10::Error& error) {
    return {kFailed,
            is_out_of_memory(error) ? kOutOfMemory : concat("internal error: ", error.what_without_backtrace())};
  } catch (const std::exception& error) {
    return {kFailed, is_out_of_memory(error) ? kOutOfMemory : error.what()};
  }
}

int report_current_exception(const CLI::App& app, int argc, char** argv) {
  try {
    throw;
  } catch (const CLI::Success& asked_for_help) {
    return app.exit(asked_for_help);
  } catch (const CLI::ParseError& call) {
    log(LogLevel::error, complaint(app, call, argc, argv) + "; see transformer --help");
    return kWrongCall;
  } catch (const AlreadySaid& said) {
    return said.status();
  } catch (...) {
    const Failure failure = describe_current_exception();
    log(LogLevel::error, failure.sentence);
    return failure.status;
  }
}

}  // namespace transformer

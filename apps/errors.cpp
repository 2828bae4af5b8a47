#include "errors.h"

#include <c10/util/Exception.h>

#include <new>

#include "base/error.h"
#include "base/log.h"

namespace transformer {
namespace {

const char* const kOutOfMemory = "out of memory; give a smaller training.device_tokens, --batch-size or model";

/// CLI11 says of an unknown command only that one is required.
std::string complaint(const CLI::App& app, const CLI::ParseError& call, int argc, char** argv) {
  const auto is_named = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
  if (argc > 1 && app.get_subcommands(is_named).empty()) return concat("unknown command '", argv[1], "'");
  return call.what();
}

}  // namespace

int report_current_exception(const CLI::App& app, int argc, char** argv) {
  static constexpr int kFailed = 1, kWrongCall = 2;
  try {
    throw;
  } catch (const CLI::Success& asked_for_help) {
    return app.exit(asked_for_help);
  } catch (const CLI::ParseError& call) {
    log(LogLevel::error, complaint(app, call, argc, argv) + "; see transformer --help");
    return kWrongCall;
  } catch (const UsageError& error) {
    log(LogLevel::error, error.what());
    return kWrongCall;
  } catch (const c10::OutOfMemoryError&) {
    log(LogLevel::error, kOutOfMemory);
  } catch (const std::bad_alloc&) {
    log(LogLevel::error, kOutOfMemory);
  } catch (const c10::Error& error) {
    const std::string what = error.what_without_backtrace();
    const bool out_of_memory = what.find("DefaultCPUAllocator") != std::string::npos;
    log(LogLevel::error, out_of_memory ? kOutOfMemory : concat("internal error: ", what));
  } catch (const std::exception& error) {
    log(LogLevel::error, error.what());
  }
  return kFailed;
}

}  // namespace transformer

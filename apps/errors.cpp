#include "errors.h"

#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "base/parse_number.h"
#include "command_line/command_description.h"
#include "command_line/find_command.h"
#include "platform/out_of_memory.h"
#include "run/failure.h"

namespace transformer {
namespace {

/// The numbers that an option takes, from CLI11's text: "0 to 4096" in CLI11 2.3, "[0 - 4096]" in 2.4. Empty if it is
/// no such text.
std::string range_text(std::string_view range) {
  static constexpr double kUnlimited = 1e308;  // CLI11 may write the largest number with fewer digits than it has
  if (range.starts_with('[') && range.ends_with(']')) range = range.substr(1, range.size() - 2);
  const auto least = parse_number<double>(range.substr(0, range.find(' '))),
             most = parse_number<double>(range.substr(range.rfind(' ') + 1));
  if (!least || !most) return "";
  if (*most < kUnlimited) return fmt::format("from {} to {}", *least, *most);
  return fmt::format("at least {}", *least);
}

/// The message of CLI11, reworded if it does not say what to do.
std::string message_of(const CLI::ParseError& error) {
  const std::string message = error.what();
  static constexpr std::string_view kValue = ": Value ", kNotInRange = " not in range ";
  const size_t value = message.find(kValue), range = message.rfind(kNotInRange);
  if (value != std::string::npos && range != std::string::npos) {
    const size_t begin = value + kValue.size();
    const std::string numbers = range_text(std::string_view(message).substr(range + kNotInRange.size()));
    if (numbers.empty() || begin > range) return message;
    return fmt::format("{}: must be {}, got '{}'", message.substr(0, value), numbers,
                       shown_value(message.substr(begin, range - begin)));
  }
  static constexpr std::string_view kRequired = ": 1 required ";
  if (const size_t at = message.find(kRequired); at != std::string::npos && message.ends_with(" missing")) {
    return fmt::format("{}: its value is missing", message.substr(0, at));
  }
  static constexpr std::string_view kNotConverted = "Could not convert: ", kEquals = " = ";
  if (const size_t equals = message.find(kEquals); message.starts_with(kNotConverted) && equals != std::string::npos) {
    return fmt::format("{}: '{}' is not a valid value",
                       message.substr(kNotConverted.size(), equals - kNotConverted.size()),
                       shown_value(message.substr(equals + kEquals.size())));
  }
  if (message == "A subcommand is required") return "a command is required";
  static constexpr std::string_view kRepeated = ": At Most 1 required but received ";
  const size_t at = message.find(kRepeated);
  if (at == std::string::npos) return message;
  return fmt::format("{} is given {} times; give it once", message.substr(0, at),
                     message.substr(at + kRepeated.size()));
}

/// What is wrong with the call, and where its help is. Names an argument that no command expects first, because what
/// CLI11 finds missing may be that argument, mistyped.
std::string describe(const CLI::App& app, const CLI::ParseError& error) {
  if (const std::string unexpected = explain_unexpected_argument(app); !unexpected.empty()) return unexpected;
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
  return fmt::format("{}; see {} --help", message_of(error), call_of(command_name(*command)));
}

/// Ends the program after an exception that no function has caught. Allocates nothing if memory has run out.
void report_and_exit() {
  if (!std::current_exception()) std::abort();
  try {
    throw;
  } catch (const std::exception& exception) {
    if (!is_out_of_memory(exception)) {
      const Failure failure = describe_current_exception();
      handle_uncaught_failure(failure);
      log(LogLevel::error, failure.message);
      _exit(kFailureStatus);
    }
  } catch (...) {
    std::abort();
  }
  static std::atomic_flag is_reported;
  while (is_reported.test_and_set()) pause();  // another thread reports the same and ends the program
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

int report_current_exception(const CLI::App& app) {
  try {
    throw;
  } catch (const CLI::ParseError& error) {
    log(LogLevel::error, describe(app, error));
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

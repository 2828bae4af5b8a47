#include "run/failure.h"

#include <c10/util/Exception.h>
#include <fmt/core.h>

#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/system_error.h"
#include "distributed/process_group.h"
#include "platform/out_of_memory.h"

namespace transformer {

Failure describe_current_exception() {
  try {
    throw;
  } catch (const UsageError& error) {
    return {kUsageStatus, error.what()};
  } catch (const LostConnection& error) {
    return {kFailureStatus, error.what(), /*is_consequence=*/true};
  } catch (const c10::Error& error) {
    if (is_out_of_memory(error)) return {kFailureStatus, kOutOfMemory};
    return {kFailureStatus, fmt::format("internal error: {}", error.what_without_backtrace())};
  } catch (const std::filesystem::filesystem_error& error) {
    const std::string path = error.path1().empty() ? "the current directory" : error.path1().string();
    return {kFailureStatus, fmt::format("{}: cannot be used: {}", path, system_error_text(error.code().value()))};
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) return {kFailureStatus, error.what()};
    return {kFailureStatus,
            "cannot start another thread; give fewer --threads or --workers, or raise the limits (ulimit -u, -v)"};
  } catch (const std::exception& error) {
    return {kFailureStatus, is_out_of_memory(error) ? kOutOfMemory : error.what()};
  }
}

}  // namespace transformer

#include "run/failure.h"

#include <c10/util/Exception.h>
#include <fmt/core.h>

#include "base/error.h"
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
  } catch (const std::exception& error) {
    return {kFailureStatus, is_out_of_memory(error) ? kOutOfMemory : error.what()};
  }
}

}  // namespace transformer

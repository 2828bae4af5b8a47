#include "run/failure.h"

#include <c10/util/Exception.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <regex>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parameter_error.h"
#include "base/system_error.h"
#include "distributed/process_group.h"
#include "platform/out_of_memory.h"

namespace transformer {
namespace {

std::mutex handlers_mutex;
std::vector<std::function<void(const Failure&)>> handlers;  // of the UncaughtFailureHandlers that exist

/// LibTorch's message of many sentences about a full GPU, reduced to the GPU and its memory.
std::string out_of_gpu_memory(const std::string& message) {
  static const std::regex figures("GPU (\\d+) has a total capacity of (.*) of which (.*) is free");
  std::smatch match;
  const bool is_known = std::regex_search(message, match, figures);
  return fmt::format(
      "out of memory on {}; end other programs that use the GPU (nvidia-smi lists them), or give a smaller "
      "--batch-size or model, in training a smaller training.device_tokens",
      is_known ? fmt::format("cuda:{}, which has {} free of {}", match.str(1), match.str(3), match.str(2)) : "the GPU");
}

/// The message, and the place that was added to LibTorch's error, such as the lines of a micro-batch.
std::string with_context(std::string message, const c10::Error& error) {
  for (const std::string& context : error.context()) message += " (" + context + ")";
  return message;
}

/// The names of parameters, such as 'beam_size', as options: --beam-size.
std::string with_options(std::string message) {
  static const std::regex parameter("'([a-z]+(?:_[a-z]+)*)'");
  std::smatch match;
  while (std::regex_search(message, match, parameter)) {
    std::string name = match.str(1);
    std::replace(name.begin(), name.end(), '_', '-');
    message = match.prefix().str() + "--" + name + match.suffix().str();
  }
  return message;
}

}  // namespace

Failure describe_current_exception() {
  try {
    throw;
  } catch (const ParameterError& error) {
    return {kUsageStatus, with_options(error.what())};
  } catch (const UsageError& error) {
    return {kUsageStatus, error.what()};
  } catch (const LostConnection& error) {
    return {kFailureStatus, error.what(), /*is_consequence=*/true};
  } catch (const c10::OutOfMemoryError& error) {  // only LibTorch's allocator for GPUs throws it
    return {kFailureStatus, with_context(out_of_gpu_memory(error.what_without_backtrace()), error)};
  } catch (const c10::AcceleratorError& error) {
    if (is_out_of_memory(error)) return {kFailureStatus, with_context(out_of_gpu_memory(""), error)};
    return {
        kFailureStatus,
        fmt::format("the GPU failed: {}; dmesg and nvidia-smi may say more, and the same command resumes a training "
                    "run from its last checkpoint",
                    first_line(error.what_without_backtrace()))};
  } catch (const c10::Error& error) {
    if (is_out_of_cpu_memory(error)) return {kFailureStatus, with_context(kOutOfMemory, error)};
    if (is_out_of_memory(error)) return {kFailureStatus, with_context(out_of_gpu_memory(""), error)};
    return {kFailureStatus, fmt::format("internal error: {}", error.what_without_backtrace())};
  } catch (const std::filesystem::filesystem_error& error) {
    const std::string path = error.path1().empty() ? "the current directory" : error.path1().string();
    return {kFailureStatus, fmt::format("{}: cannot be used: {}", path, system_error_text(error.code().value()))};
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) return {kFailureStatus, error.what()};
    return {kFailureStatus,
            "cannot start another thread; give fewer --threads or --workers, or raise the limits (ulimit -u, -v)"};
  } catch (const std::exception& error) {
    return {kFailureStatus, is_out_of_cpu_memory(error) ? kOutOfMemory : error.what()};
  }
}

UncaughtFailureHandler::UncaughtFailureHandler(std::function<void(const Failure&)> handle) {
  const std::lock_guard lock(handlers_mutex);
  handlers.push_back(std::move(handle));
}

UncaughtFailureHandler::~UncaughtFailureHandler() {
  const std::lock_guard lock(handlers_mutex);
  if (!handlers.empty()) handlers.pop_back();
}

void handle_uncaught_failure(const Failure& failure) {
  std::vector<std::function<void(const Failure&)>> called;
  {
    const std::lock_guard lock(handlers_mutex);
    std::swap(called, handlers);
  }
  for (auto handle = called.rbegin(); handle != called.rend(); ++handle) (*handle)(failure);
}

}  // namespace transformer

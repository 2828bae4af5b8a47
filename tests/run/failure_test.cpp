#include "run/failure.h"

#include <c10/util/Exception.h>
#include <torch/types.h>

#include <filesystem>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/parameter_error.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "distributed/process_group.h"
#include "platform/out_of_memory.h"

namespace transformer {
namespace {

template <class Work>
Failure failure_of(Work work) {
  try {
    work();
  } catch (...) {
    return describe_current_exception();
  }
  FAIL("the work did not fail");
  return {};
}

}  // namespace

TEST_CASE("failure: what the user can mend keeps its message, and a wrong call has another status") {
  const Failure error = failure_of([] { throw Error("a.txt: no such file"); });
  CHECK(error.status == kFailureStatus);
  CHECK(error.message == "a.txt: no such file");
  CHECK_FALSE(error.is_consequence);
  const Failure usage = failure_of([] { throw UsageError("--top-k: too large"); });
  CHECK(usage.status == kUsageStatus);
  CHECK(usage.message == "--top-k: too large");
}

TEST_CASE("failure: a lost connection is the consequence of another rank's failure") {
  const Failure failure = failure_of([] { throw LostConnection("the connection broke"); });
  CHECK(failure.status == kFailureStatus);
  CHECK(failure.is_consequence);
}

TEST_CASE("failure: an error of the file system names the path and what to do") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "file", "");
  std::filesystem::create_symlink("loop", directory / "loop");
  const auto message_of = [&](const std::string& path) {
    return failure_of([&] { return std::filesystem::file_size(path); }).message;
  };
  CHECK(message_of(directory / "none") ==
        directory / "none" + ": cannot be used: there is no such file; check the path");
  CHECK_THAT(message_of(directory / "file/x"), Catch::Contains("a part of the path is a file, not a directory"));
  CHECK_THAT(message_of(directory / "loop"), Catch::Contains("symbolic links refer to each other"));
  CHECK_THAT(message_of(directory / std::string(300, 'x')), Catch::Contains("too long for the file system"));
}

TEST_CASE("failure: the parameters of a task are shown as options") {
  const Failure failure = failure_of(
      [] { throw ParameterError("'nbest' 5: the beam size is {}; give a larger 'beam_size', not 'A b'", 4); });
  CHECK(failure.status == kUsageStatus);
  CHECK(failure.message == "--nbest 5: the beam size is 4; give a larger --beam-size, not 'A b'");
  CHECK(failure_of([] { throw UsageError("a.yaml:3: got 'beam_size'"); }).message == "a.yaml:3: got 'beam_size'");
}

TEST_CASE("failure: a thread that the system does not allow is called so") {
  const auto no_thread = [] {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  };
  CHECK_THAT(failure_of(no_thread).message, Catch::Contains("cannot start another thread; give fewer --threads"));
}

TEST_CASE("failure: an internal error has no stack trace, and missing memory is called so") {
  const Failure internal = failure_of([] { TORCH_CHECK(false, "rows ", 3); });
  CHECK(internal.status == kFailureStatus);
  CHECK(internal.message == "internal error: rows 3");
  CHECK(failure_of([] { throw std::bad_alloc(); }).message == kOutOfMemory);
  CHECK(failure_of([] { torch::empty({int64_t{1} << 60}); }).message == kOutOfMemory);
  const auto out_of_memory_in_line = [] {
    try {
      torch::empty({int64_t{1} << 60});
    } catch (c10::Error& error) {
      error.add_context("in line 3");
      throw;
    }
  };
  CHECK(failure_of(out_of_memory_in_line).message == std::string(kOutOfMemory) + " (in line 3)");
  CHECK_THAT(failure_of([] { TORCH_CHECK(false, "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling"); }).message,
             Catch::StartsWith("out of memory on the GPU; "));
  const auto gpu_failure = [](const std::string& message) {
    return failure_of([&] { TORCH_CHECK_WITH(OutOfMemoryError, false, message); }).message;
  };
  CHECK_THAT(gpu_failure("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.11 GiB of "
                         "which 1.20 GiB is free. Including non-PyTorch memory, this process has 77 GiB in use."),
             Catch::StartsWith("out of memory on cuda:3, which has 1.20 GiB free of 79.11 GiB; end other programs"));
  CHECK_THAT(gpu_failure("CUDA"), Catch::StartsWith("out of memory on the GPU; end other programs"));
  CHECK_THAT(failure_of([] {
               throw c10::AcceleratorError({__func__, __FILE__, __LINE__}, 719, "CUDA error: x\ny");
             }).message,
             Catch::StartsWith("the GPU failed: CUDA error: x; dmesg"));
}

TEST_CASE("failure: missing memory has the remedies of every command before those of training") {
  CHECK_THAT(failure_of([] { throw std::bad_alloc(); }).message,
             Catch::StartsWith("out of memory; give a smaller batch size, beam size or model, in training "));
  CHECK_THAT(failure_of([] { TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA"); }).message,
             Catch::EndsWith("give a smaller --batch-size or model, in training a smaller training.device_tokens"));
}

TEST_CASE("handlers of uncaught failures are called once, the newest first, while they exist") {
  std::vector<std::string> calls;
  const UncaughtFailureHandler outer([&](const Failure& failure) { calls.push_back("outer: " + failure.message); });
  {
    const UncaughtFailureHandler gone([&](const Failure&) { calls.emplace_back("gone"); });
  }
  const UncaughtFailureHandler inner([&](const Failure& failure) { calls.push_back("inner: " + failure.message); });
  handle_uncaught_failure({kFailureStatus, "the GPU failed"});
  handle_uncaught_failure({kFailureStatus, "again"});
  CHECK(calls == std::vector<std::string>{"inner: the GPU failed", "outer: the GPU failed"});
}

}  // namespace transformer

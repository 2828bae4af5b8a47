#include "distributed/connection.h"

#include <c10/util/Exception.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

#include "catch.h"

namespace transformer {
namespace {

/// A failure of NCCL as LibTorch reports it.
[[noreturn]] void fail_in_nccl(const std::string& last_error) {
  const std::string message =
      "NCCL error in: NCCLUtils.cpp:94, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version "
      "2.28.9\nncclSystemError: System call failed.\nLast error:\n" +
      last_error;
  TORCH_CHECK_WITH(DistBackendError, false, message);
}

const std::string kAdvice =
    "; see the messages of the other ranks, then run the same command again to resume from the last checkpoint";

}  // namespace

TEST_CASE("a collective that fails is a lost connection, with the cause that NCCL names") {
  CHECK_THROWS_WITH(rethrow_as_lost_connection([] { fail_in_nccl("no space left on device\n"); }),
                    "lost the connection to the other ranks: no space left on device" + kAdvice);
  CHECK_THROWS_AS(rethrow_as_lost_connection([] { fail_in_nccl("no space left on device"); }), LostConnection);
  CHECK_THROWS_WITH(
      rethrow_as_lost_connection([] { fail_in_nccl("\n"); }),
      Catch::Contains("to the other ranks: NCCL error in: ") && Catch::EndsWith("NCCL version 2.28.9" + kAdvice));
  CHECK_THROWS_WITH(rethrow_as_lost_connection([] { throw std::runtime_error("Connection reset\nstack trace"); }),
                    "lost the connection to the other ranks: Connection reset" + kAdvice);
}

TEST_CASE("a collective that fails for want of this rank's own memory or threads is no lost connection") {
  CHECK_THROWS_AS(rethrow_as_lost_connection([] { fail_in_nccl("Cuda failure 2 'out of memory'"); }), c10::Error);
  CHECK_THROWS_AS(rethrow_as_lost_connection([] { throw Error("a message"); }), Error);
  const auto start_thread = [] { throw std::system_error(EAGAIN, std::generic_category()); };
  CHECK_THROWS_AS(rethrow_as_lost_connection(start_thread), std::system_error);
}

}  // namespace transformer

#include "serving/json_answer.h"

#include <httplib.h>

#include "base/error.h"
#include "catch.h"
#include "serving/refusal.h"

namespace transformer {
namespace {

/// The answer to a request that fails with the error.
template <class Failure>
httplib::Response answer_to(const Failure& failure) {
  httplib::Response response;
  try {
    throw failure;
  } catch (...) {
    answer_exception(response);
  }
  return response;
}

}  // namespace

TEST_CASE("the answer to an exception has its status and message, and the headers of the status") {
  const auto error = answer_to(Error("no 'q'"));
  CHECK(error.status == 400);
  CHECK(error.body == R"({"error":"no 'q'"})");
  CHECK(error.get_header_value("Content-Type") == "application/json");
  CHECK_FALSE(error.has_header("Retry-After"));
  CHECK(answer_to(Refusal(413, "too long")).status == 413);
  CHECK(answer_to(Refusal(503, "full")).get_header_value("Retry-After") == "1");
  CHECK(answer_to(Refusal(429, "full")).get_header_value("Retry-After") == "1");
  CHECK(answer_to(Refusal(401, "a token")).get_header_value("WWW-Authenticate") == "Bearer");
  CHECK(answer_to(ClientHasGone()).status == kClientClosedRequest);
}

}  // namespace transformer

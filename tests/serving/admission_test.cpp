#include "serving/admission.h"

#include <memory>
#include <string>
#include <vector>

#include "catch.h"
#include "serving/refusal.h"

namespace transformer {
namespace {

/// The HTTP status with which the texts are refused; 200 if they are not.
int status_of(AdmissionControl& control, const char* client, int64_t num_texts) {
  try {
    const AdmissionControl::Ticket ticket(control, client, num_texts);
    return 200;
  } catch (const Refusal& refusal) {
    return refusal.status();
  }
}

}  // namespace

TEST_CASE("a request may have so many texts of so many characters, and ask for so many hypotheses") {
  ServerOptions limits;
  limits.max_request_texts = 2;
  limits.max_text_characters = 3;
  limits.max_beam_size = 4;
  const auto check = [&](const std::vector<std::string>& texts, const RequestOptions& options) {
    std::vector<RequestedText> requested;
    for (const std::string& text : texts) requested.push_back({.text = text});
    check_limits(requested, options, limits);
  };
  CHECK_NOTHROW(check({"abc", "\u00E4\u00F6\u00FC"}, {}));
  CHECK_THROWS_WITH(check({"a", "b", "c"}, {}), Catch::Contains("has 3 texts, and may have 2"));
  CHECK_THROWS_WITH(check({"a", "abcd"}, {}), Catch::Contains("text 2: has more than 3 characters"));
  RequestOptions options;
  options.nbest = 4;
  CHECK_NOTHROW(check({"a"}, options));
  options.choice.mbr = 5;
  CHECK_THROWS_WITH(check({"a"}, options), Catch::Contains("'mbr' may be 4 at most on this server, got 5"));
}

TEST_CASE("admission refuses what is above the limit of all clients or of one, and counts until a request ends") {
  AdmissionControl control(10, 6);
  auto first = std::make_unique<AdmissionControl::Ticket>(control, "a", 6);
  CHECK(status_of(control, "a", 1) == 429);
  CHECK(status_of(control, "b", 4) == 200);
  CHECK(status_of(control, "b", 5) == 503);
  CHECK(control.num_texts() == 6);
  first.reset();
  CHECK(control.num_texts() == 0);
  CHECK(status_of(control, "a", 6) == 200);
  CHECK(status_of(control, "a", 7) == 429);
  AdmissionControl without_client_limit(10, 0);
  CHECK(status_of(without_client_limit, "a", 10) == 200);
}

}  // namespace transformer

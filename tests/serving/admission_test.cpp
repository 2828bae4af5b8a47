#include "serving/admission.h"

#include <memory>

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

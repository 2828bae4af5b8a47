#include "serving/json_answer.h"

#include <fmt/core.h>
#include <httplib.h>

#include <exception>

#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "inference/translation_service.h"
#include "serving/refusal.h"

namespace transformer {

void set_json(httplib::Response& response, const Json& json) { response.set_content(json_text(json), kJsonType); }

void set_error(httplib::Response& response, int status, const std::string& message) {
  response.status = status;
  set_json(response, {{"error", message}});
}

void answer_exception(httplib::Response& response) {
  try {
    throw;
  } catch (const Refusal& refusal) {
    set_error(response, refusal.status(), refusal.what());
    if (refusal.status() == 503 || refusal.status() == 429) response.set_header("Retry-After", "1");
    if (refusal.status() == 401) response.set_header("WWW-Authenticate", "Bearer");
  } catch (const ClientHasGone& gone) {
    set_error(response, kClientClosedRequest, gone.what());
  } catch (const TooBusy& busy) {
    set_error(response, 503, busy.what());
    response.set_header("Retry-After", "1");
  } catch (const Error& error) {
    set_error(response, 400, error.what());
  } catch (const std::exception& error) {
    const std::string message = first_line(error.what());
    log_warning("a request failed: {}", message);
    set_error(response, 500, fmt::format("internal error: {}", message));
  }
}

std::string describe_refusal(int status) {
  switch (status) {
    case 400:
      return "the request cannot be read, or ended early; send GET or POST as HTTP/1.1 has them";
    case 414:
      return "the request's address is too long; send texts in the body of POST /v1/translate";
    case 416:
      return "the header Range cannot be read; leave it out, because answers are sent as a whole";
    default:
      return fmt::format("the request failed with HTTP status {}; try again later", status);
  }
}

}  // namespace transformer

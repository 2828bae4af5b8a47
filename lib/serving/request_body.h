#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace httplib {
class ContentReader;
struct Request;
}  // namespace httplib

namespace transformer {

/// A request's body; of a form in parts, its fields in JSON.
struct RequestBody {
  std::string text;
  std::string type;  // the header Content-Type
};

/// Reads the body of the request with `reader`. Sets `is_read` if nothing of the body is left in the connection, also
/// before it throws. Throws Refusal if the body has more than `max_bytes`, has not arrived within `timeout` of the
/// call, has no length or ends early, and Error if a form in parts is not UTF-8.
RequestBody read_body(const httplib::Request& request, const httplib::ContentReader& reader, int64_t max_bytes,
                      std::chrono::milliseconds timeout, bool& is_read);

}  // namespace transformer

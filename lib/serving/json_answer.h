#pragma once

#include <string>

#include "base/json.h"

namespace httplib {
struct Response;
}  // namespace httplib

namespace transformer {

/// The header Content-Type of JSON.
inline constexpr const char* kJsonType = "application/json";

/// Sets the body to the value, with its type.
void set_json(httplib::Response& response, const Json& json);

/// Sets the HTTP status, and the message as the key `error` of an object.
void set_error(httplib::Response& response, int status, const std::string& message);

/// Sets the status and the message of the exception that is being handled, and the headers that belong to the status.
/// Logs a warning if the exception is no Error.
void answer_exception(httplib::Response& response);

/// What is wrong with a request that the library refuses with this status before it has a path.
std::string describe_refusal(int status);

}  // namespace transformer

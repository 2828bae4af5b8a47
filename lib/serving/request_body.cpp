#include "serving/request_body.h"

#include <httplib.h>

#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/json.h"
#include "base/parse_number.h"
#include "serving/call.h"
#include "serving/json_answer.h"
#include "serving/refusal.h"

namespace transformer {
namespace {

/// A body above the limit is read to its end, so that the client gets the answer, if it is at most so many times as
/// long; of a longer one the rest stays unread, and the connection is closed.
constexpr size_t kReadableExcess = 16;

}  // namespace

RequestBody read_body(const httplib::Request& request, const httplib::ContentReader& reader, int64_t max_bytes,
                      std::chrono::milliseconds timeout, bool& is_read) {
  const auto too_long = [max_bytes] {
    return Refusal(413, "the request has more than {} bytes; send its texts in several requests",
                   with_thousands(max_bytes));
  };
  if (!request.has_header("Content-Length") && !request.has_header("Transfer-Encoding")) {
    is_read = true;  // the library would wait for the end of the connection
    throw Refusal(411, "the request has no body, or does not say how long it is; send Content-Length");
  }
  const auto limit = static_cast<size_t>(max_bytes);
  const auto announced = parse_number<size_t>(request.get_header_value("Content-Length"));
  if (announced.value_or(0) / kReadableExcess > limit) throw too_long();
  const auto deadline = Clock::now() + timeout;
  size_t num_bytes = 0;
  bool is_late = false;
  /// Counts bytes of the body, and adds them to `text`. Returns whether to read on.
  const auto take = [&](std::string& text, const char* data, size_t length) {
    num_bytes += length;
    if (num_bytes <= limit) text.append(data, length);
    is_late = Clock::now() > deadline;
    return !is_late && num_bytes / kReadableExcess <= limit;
  };
  RequestBody body = {"", request.get_header_value("Content-Type")};
  std::vector<std::pair<std::string, std::string>> fields;  // of a form in parts, such as curl's -F sends
  if (request.is_multipart_form_data()) {
    is_read = reader(
        [&](const httplib::MultipartFormData& field) {
          fields.emplace_back();
          num_bytes += sizeof(fields.back());  // so that parts without content have a limit, too
          return take(fields.back().first, field.name.data(), field.name.size());
        },
        [&](const char* data, size_t length) { return take(fields.back().second, data, length); });
  } else {
    is_read = reader([&](const char* data, size_t length) { return take(body.text, data, length); });
  }
  if (is_late || (!is_read && Clock::now() >= deadline)) {  // the last wait ended without a byte
    throw Refusal(408, "the request's body has not arrived within {} s", timeout.count() / 1000);
  }
  if (num_bytes > limit) throw too_long();
  if (!is_read) throw Refusal(400, "the request's body ended early, or cannot be decoded");
  if (!request.is_multipart_form_data()) return body;
  Json form = Json::object();
  for (const auto& [name, value] : fields) add_form_field(form, name, value);
  return {json_text(form), kJsonType};
}

}  // namespace transformer

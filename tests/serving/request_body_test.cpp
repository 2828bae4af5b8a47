#include "serving/request_body.h"

#include <httplib.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "serving/refusal.h"

namespace transformer {
namespace {

/// A request with this header.
httplib::Request request_with(const std::string& name, const std::string& value) {
  httplib::Request request;
  request.set_header(name, value);
  return request;
}

/// What read_body makes of a body of at most 10 bytes that arrives in these pieces.
struct Outcome {
  int status = 200;
  std::string text;
  bool is_read = false;
};

Outcome outcome_of(const httplib::Request& request, const std::vector<std::string>& pieces) {
  const httplib::ContentReader reader(
      [&](const auto& receive) {
        for (const std::string& piece : pieces) {
          if (!receive(piece.data(), piece.size())) return false;
        }
        return true;
      },
      nullptr);
  Outcome outcome;
  try {
    outcome.text = read_body(request, reader, /*max_bytes=*/10, std::chrono::seconds(60), outcome.is_read).text;
  } catch (const Refusal& refusal) {
    outcome.status = refusal.status();
  }
  return outcome;
}

}  // namespace

TEST_CASE("a body is read up to its limit, and one that is not much longer to its end") {
  const auto request = request_with("Transfer-Encoding", "chunked");
  const Outcome whole = outcome_of(request, {"01234", "56789"});
  CHECK(whole.status == 200);
  CHECK(whole.text == "0123456789");
  CHECK(whole.is_read);
  const Outcome longer = outcome_of(request, {"01234", "567890"});
  CHECK(longer.status == 413);
  CHECK(longer.is_read);
  const Outcome much_longer = outcome_of(request, {std::string(1000, 'a')});
  CHECK(much_longer.status == 413);
  CHECK_FALSE(much_longer.is_read);
}

TEST_CASE("a body that says that it is much too long is not read, and one without a length is none") {
  const Outcome announced = outcome_of(request_with("Content-Length", "1000"), {"a"});
  CHECK(announced.status == 413);
  CHECK_FALSE(announced.is_read);
  const Outcome without_length = outcome_of({}, {});
  CHECK(without_length.status == 411);
  CHECK(without_length.is_read);
}

TEST_CASE("the parts of a form become a JSON object") {
  auto request = request_with("Content-Type", "multipart/form-data; boundary=x");
  request.set_header("Content-Length", "100");
  const httplib::ContentReader reader(nullptr, [](const auto& begin_part, const auto& receive) {
    for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{{"q", "a"}, {"q", "b"}}) {
      httplib::MultipartFormData part;
      part.name = name;
      if (!begin_part(part) || !receive(value.data(), value.size())) return false;
    }
    return true;
  });
  bool is_read = false;
  const RequestBody body = read_body(request, reader, 1000, std::chrono::seconds(60), is_read);
  CHECK(body.text == R"({"q":["a","b"]})");
  CHECK(body.type == "application/json");
  CHECK(is_read);
}

}  // namespace transformer

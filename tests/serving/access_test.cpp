#include "serving/access.h"

#include <string>
#include <vector>

#include "catch.h"

namespace transformer {

TEST_CASE("a token is that of the header, or else the key in the body, and none is asked for where there are none") {
  const std::vector<std::string> tokens = {"first", "second"};
  CHECK_NOTHROW(check_token(tokens, "Bearer second", ""));
  CHECK_NOTHROW(check_token(tokens, "", "first"));
  CHECK_NOTHROW(check_token(tokens, "Basic abc", "first"));
  CHECK_NOTHROW(check_token({}, "", ""));
  CHECK_THROWS_WITH(check_token(tokens, "Bearer third", "first"), Catch::Contains("wants a token"));
  CHECK_THROWS(check_token(tokens, "second", ""));
  CHECK_THROWS(check_token(tokens, "Bearer secon", ""));
  CHECK_THROWS(check_token(tokens, "", ""));
}

TEST_CASE(
    "an answer names the origin to which a browser may show it, and varies with it unless it may be shown to all") {
  const Headers of_one = {{"Vary", "Origin"},
                          {"Access-Control-Allow-Origin", "https://a.example"},
                          {"Access-Control-Expose-Headers", "Retry-After"}};
  const Headers of_all = {{"Access-Control-Allow-Origin", "*"}, {"Access-Control-Expose-Headers", "Retry-After"}};
  CHECK(origin_headers({"https://b.example", "https://a.example"}, "https://a.example") == of_one);
  CHECK(origin_headers({"https://a.example"}, "https://b.example") == Headers{{"Vary", "Origin"}});
  CHECK(origin_headers({"https://a.example"}, "") == Headers{{"Vary", "Origin"}});
  CHECK(origin_headers({"https://a.example", "*"}, "https://b.example") == of_all);
  CHECK(origin_headers({}, "https://a.example").empty());
}

}  // namespace transformer

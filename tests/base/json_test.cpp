#include "base/json.h"

#include <limits>

#include "base/error.h"
#include "catch.h"

namespace transformer {

TEST_CASE("json is written so that it reads back as the same value") {
  CHECK(json_string("a\"b\\c\n\t\x01") == R"("a\"b\\c\n\t\u0001")");
  CHECK(json_string("Mädchen") == "\"Mädchen\"");
  CHECK(json_number(0.1) == "0.1");
  CHECK(json_number(1e-9) == "1e-09");
  CHECK(std::stod(json_number(1.0 / 3)) == 1.0 / 3);
  CHECK(json_number(std::numeric_limits<double>::infinity()) == "null");
}

TEST_CASE("json is read as it was written") {
  const Json json =
      Json::parse(R"( {"a": [1, -2.5e3, null, true], "b": {"c": "d\"\\\n\u00e4\ud83d\ude00é"}, "e": {}} )");
  REQUIRE(json.object().size() == 3);
  CHECK(json.object()[0].first == "a");
  const Json::Array& items = json.at("a").array();
  CHECK(items[0].integer() == 1);
  CHECK(items[1].number() == -2500);
  CHECK(items[2].is_null());
  CHECK(json.at("b").at("c").string() == "d\"\\\nä😀é");
  CHECK(json.find("f") == nullptr);
  CHECK(Json::parse(json_string("tab\t, line\n, \x01, Mädchen")).string() == "tab\t, line\n, \x01, Mädchen");
  CHECK(Json::parse(json_number(1.0 / 3)).number() == 1.0 / 3);
  CHECK(Json::parse("1e-400").number() == 0);
}

TEST_CASE("json that is not JSON is an error that names the byte") {
  const std::string text = GENERATE(as<std::string>(), "", "{", "[1", "[1,]", "{\"a\" 1}", "{\"a\": 1, \"a\": 2}", "01",
                                    "+1", "1.", "1.e5", "1e", ".5", "1e999", "\"\\udc00\"", "\"\xFF\"", "nan", "inf",
                                    "-", "tru", "\"a", "\"\n\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800x\"", "1 2", "'a'");
  INFO(text);
  CHECK_THROWS_WITH(Json::parse(text), Catch::StartsWith("not JSON: expected ") && Catch::Contains(" at byte "));
  CHECK_THROWS_AS(Json::parse(std::string(100000, '[')), Error);
}

TEST_CASE("json of another kind than expected is an error") {
  const Json json = Json::parse(R"({"a": 1.5})");
  CHECK_THROWS_WITH(json.number(), "expected a number");
  CHECK_THROWS_WITH(json.at("b"), "expected the key 'b'");
  CHECK_THROWS_WITH(json.at("a").integer(), "expected a whole number, got 1.5");
  CHECK_THROWS_WITH(json.at("a").string(), "expected a string");
}

}  // namespace transformer

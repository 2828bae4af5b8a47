#include "base/json.h"

#include <limits>

#include "base/error.h"
#include "catch.h"

namespace transformer {

TEST_CASE("json is written so that it reads back as the same value") {
  CHECK(json_text(Json("a\"b\\c\n\t\x01")) == R"("a\"b\\c\n\t\u0001")");
  CHECK(json_text(Json("Mädchen")) == "\"Mädchen\"");
  CHECK(json_text(Json(0.1)) == "0.1");
  CHECK(json_text(Json(1e-9)) == "1e-09");
  CHECK(parse_json(json_text(Json(1.0 / 3))) == 1.0 / 3);
  CHECK(parse_json(json_text(Json("tab\t, line\n, \x01, Mädchen"))) == "tab\t, line\n, \x01, Mädchen");
  CHECK(json_text(Json(std::numeric_limits<int64_t>::max())) == "9223372036854775807");
}

TEST_CASE("json writes null for numbers that are not finite, and replaces invalid UTF-8") {
  CHECK(json_text(Json(std::numeric_limits<double>::infinity())) == "null");
  CHECK(json_text(Json(std::numeric_limits<double>::quiet_NaN())) == "null");
  CHECK(json_text(Json("a\xFFz")) == "\"a\uFFFDz\"");
}

TEST_CASE("json keeps the order of the keys, on one line or indented") {
  const Json json = {{"b", {1, 2}}, {"a", nullptr}};
  CHECK(json_text(json) == R"({"b":[1,2],"a":null})");
  CHECK(json_text(json, 1) == "{\n \"b\": [\n  1,\n  2\n ],\n \"a\": null\n}");
}

TEST_CASE("json is read as it was written") {
  const Json json =
      parse_json(R"( {"a": [1, -2.5e3, null, true], "b": {"c": "d\"\\\n\u00e4\ud83d\ude00é"}, "e": {}} )");
  REQUIRE(object_of(json).size() == 3);
  CHECK(object_of(json).front().first == "a");
  const Json::array_t& items = array_of(member_of(json, "a"));
  CHECK(integer_of(items[0]) == 1);
  CHECK(number_of(items[1]) == -2500);
  CHECK(integer_of(items[1]) == -2500);
  CHECK(items[2].is_null());
  CHECK(string_of(member_of(member_of(json, "b"), "c")) == "d\"\\\nä😀é");
  CHECK_FALSE(json.contains("f"));
  CHECK(number_of(parse_json("1e-400")) == 0);
}

TEST_CASE("json that is malformed is an error that names the byte, without the library's tags") {
  const std::string text =
      GENERATE(as<std::string>(), "", "{", "[1", "[1,]", "{\"a\" 1}", "01", "+1", "1.", "1.e5", "1e", ".5",
               "\"\\udc00\"", "\"\xFF\"", "nan", "inf", "-", "tru", "\"a", "\"\n\"", "\"\\x\"", "\"\\u12\"",
               "\"\\ud800x\"", "1 2", "'a'", std::string("1\0", 2), std::string(100, '['));
  INFO(text.substr(0, 20));
  CHECK_THROWS_WITH(parse_json(text), Catch::StartsWith("not JSON: ") && Catch::Contains(" at byte ") &&
                                          !Catch::Contains("exception") && !Catch::Contains("last read"));
}

TEST_CASE("json that is nested too deeply for the stack is refused") {
  const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK_THROWS_WITH(integer_of(parse_json(nested(100))), Catch::Contains("expected a number"));
  CHECK_THROWS_WITH(integer_of(parse_json(nested(1000000))), Catch::Contains("levels of nesting"));
}

TEST_CASE("json errors say what was found or expected") {
  CHECK_THROWS_WITH(parse_json("{\"a\" 1}"), "not JSON: unexpected number literal; expected ':' at byte 6");
  CHECK_THROWS_WITH(parse_json("[tru]"), "not JSON: invalid literal at byte 5");
}

TEST_CASE("json with a key twice in one object or a number that is too large is an error") {
  CHECK_THROWS_WITH(parse_json(R"([{"a": 1, "b": {"a": 2}, "a": 3}])"),
                    "not JSON: the key \"a\" occurs twice in an object");
  CHECK(parse_json(R"([{"a": 1}, {"a": 1, "b": {"a": 2}}])").size() == 2);
  CHECK_THROWS_WITH(parse_json("1e999"), "not JSON: number overflow parsing '1e999'");
}

TEST_CASE("json of another kind than expected is an error") {
  const Json json = parse_json(R"({"a": 1.5})");
  CHECK_THROWS_WITH(number_of(json), "expected a number, got {\"a\":1.5}");
  CHECK_THROWS_WITH(member_of(json, "b"), "expected the key 'b'");
  CHECK_THROWS_WITH(integer_of(member_of(json, "a")), "expected a whole number, got 1.5");
  CHECK_THROWS_WITH(integer_of(parse_json("18446744073709551615")),
                    "expected a whole number, got 18446744073709551615");
  CHECK_THROWS_WITH(string_of(member_of(json, "a")), "expected a string, got 1.5");
  CHECK_THROWS_WITH(array_of(json), Catch::StartsWith("expected an array"));
  CHECK_THROWS_WITH(object_of(parse_json("[true]")), "expected an object, got [true]");
  CHECK_THROWS_WITH(member_of(parse_json("1"), "a"), "expected an object, got 1");
  CHECK_THROWS_WITH(string_of(Json(std::vector<int>(100))), "expected a string, got array");
}

}  // namespace transformer

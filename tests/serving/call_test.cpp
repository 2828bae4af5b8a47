#include "serving/call.h"

#include <string>
#include <vector>

#include "catch.h"

namespace transformer {
namespace {

constexpr const char* kForm = "application/x-www-form-urlencoded; charset=utf-8";

std::vector<std::string> texts_of_form(const std::string& body) {
  return read_libretranslate_call(body + "&source=en&target=de", kForm).texts;
}

}  // namespace

TEST_CASE("a form's fields are decoded, and a field that occurs several times is a list") {
  CHECK(texts_of_form("q=a+b%2Bc%C3%A4%0A%26") == std::vector<std::string>{"a b+c\u00E4\n&"});
  CHECK(texts_of_form("q=100%&q=%4&q=%zz&q") == std::vector<std::string>{"100%", "%4", "%zz", ""});
  CHECK_FALSE(read_libretranslate_call("q=a&source=en&target=de", kForm).is_list);
  CHECK(read_libretranslate_call("q=a&q=b&source=en&target=de", kForm).is_list);
  CHECK(read_libretranslate_call("q=a&source=en&target=de&alternatives=3", kForm).num_alternatives == 3);
  CHECK_THROWS_WITH(texts_of_form("q=a&alternatives=x"), Catch::Contains("'alternatives': must be a whole number"));
  CHECK_THROWS_WITH(texts_of_form("q=%FF"), Catch::Contains("not UTF-8"));
}

TEST_CASE("a text's lines are those between line breaks, and an empty text has one") {
  CHECK(lines_of_text("") == std::vector<std::string>{""});
  CHECK(lines_of_text("a") == std::vector<std::string>{"a"});
  CHECK(lines_of_text("a\n\nb\n") == std::vector<std::string>{"a", "", "b", ""});
  CHECK(lines_of_text("a\r\nb\r") == std::vector<std::string>{"a\r", "b\r"});
}

TEST_CASE("a call's texts, prefixes and options are read, and null is no prefix") {
  const TranslateCall call = read_translate_call(
      R"({"text": ["a", "b"], "prefix": ["c", null], "stream": true, "model": "m", "nbest": 2, "seed": 3, "sample": true})");
  REQUIRE(call.texts.size() == 2);
  CHECK(call.texts[0].prefix == "c");
  CHECK(call.texts[1].prefix.empty());
  CHECK(call.stream);
  CHECK(call.model == "m");
  CHECK(call.options.nbest == 2);
  CHECK(call.options.sample);
  CHECK(call.options.sampling.value().seed == 3);
}

TEST_CASE("null in place of all prefixes is none, and in place of a text is refused") {
  const TranslateCall call = read_translate_call(R"({"text": ["a", "b"], "prefix": null})");
  REQUIRE(call.texts.size() == 2);
  for (const RequestedText& text : call.texts) CHECK(text.prefix.empty());
  CHECK_THROWS_WITH(read_translate_call(R"({"text": "a", "prefix": 1})"),
                    Catch::Contains("'prefix': expected a string"));
  CHECK_THROWS_WITH(read_translate_call(R"({"text": "a", "prefix": [1]})"),
                    Catch::Contains("'prefix': expected a string, got 1"));
  CHECK_THROWS_WITH(read_translate_call(R"({"text": [null]})"), Catch::Contains("'text': expected a string, got null"));
  CHECK_THROWS_WITH(read_translate_call(R"({"text": null})"), Catch::Contains("'text': expected a string or a list"));
  CHECK_THROWS_WITH(
      read_libretranslate_call(R"({"q": ["a", null], "source": "en", "target": "de"})", "application/json"),
      Catch::Contains("'q': expected a string, got null"));
}

}  // namespace transformer

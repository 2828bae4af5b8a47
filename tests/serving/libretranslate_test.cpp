#include "serving/libretranslate.h"

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "catch.h"

namespace transformer {
namespace {

/// A line with these translations.
TranslatedLine line_with(const std::vector<std::string>& texts) {
  TranslatedLine line;
  for (const std::string& text : texts) {
    Translation translation;
    translation.text = text;
    line.translations.push_back(std::move(translation));
  }
  return line;
}

}  // namespace

TEST_CASE("a call's translations are joined as the lines of its texts, with their carriage returns") {
  LibreTranslateCall call;
  call.texts = {"a\r\nb", "c"};
  call.is_list = true;
  call.num_alternatives = 1;
  const LibreTranslateLines lines(call);
  REQUIRE(lines.lines().size() == 3);
  CHECK(lines.lines()[0].text == "a");
  CHECK(lines.lines()[1].text == "b");
  const Json answer = lines.answer({line_with({"A", "A2"}), line_with({"B"}), line_with({"C", "C2"})});
  CHECK(answer["translatedText"] == Json({"A\r\nB", "C"}));
  CHECK(answer["alternatives"] == Json::array({Json::array({"A2\r\nB"}), Json::array({"C2"})}));
}

TEST_CASE("the answer to a call with a single text is a text, without alternatives unless it asks for some") {
  LibreTranslateCall call;
  call.texts = {"a"};
  const LibreTranslateLines lines(call);
  const Json answer = lines.answer({line_with({"A"})});
  CHECK(answer == Json::parse(R"({"translatedText": "A"})"));
  call.num_alternatives = 2;
  CHECK(lines.answer({line_with({"A", "A2", "A3"})})["alternatives"] == Json::array({"A2", "A3"}));
}

TEST_CASE("a call's HTML keeps its tags, and its translations get the references that HTML needs") {
  LibreTranslateCall call;
  call.texts = {"<p id=1>a &amp; <b>b</b></p>\n<ul><li>c</ul>", "d"};
  call.is_list = call.is_html = true;
  call.num_alternatives = 1;
  const LibreTranslateLines lines(call);
  REQUIRE(lines.lines().size() == 3);
  CHECK(lines.lines()[0].text == "a & b");
  CHECK(lines.lines()[1].text == "c");
  TranslatedLine first = line_with({"A & B", "X < Y"});
  first.positions = {{0, 0}, {5, 5}};
  TranslatedLine second = line_with({"C"}), third = line_with({"D", "D2"});
  second.positions = third.positions = {{0, 0}, {1, 1}};
  const Json answer = lines.answer({first, second, third});
  CHECK(answer["translatedText"] == Json({"<p id=1>A &amp; <b>B</b></p>\n<ul><li>C</ul>", "D"}));
  CHECK(answer["alternatives"][0] == Json::array({"<p id=1>X &lt; <b>Y</b></p>\n<ul><li>C</ul>"}));
  CHECK(answer["alternatives"][1] == Json::array({"D2"}));
}

TEST_CASE("a call's alternatives widen a beam that is too small for them, and keep another") {
  LibreTranslateCall call;
  CHECK_FALSE(libretranslate_options(call, "en", 4).decoding.beam_size);
  CHECK(libretranslate_options(call, "en", 4).parts.split_language == "en");
  call.num_alternatives = 3;
  CHECK(libretranslate_options(call, "", 4).nbest == 4);
  CHECK_FALSE(libretranslate_options(call, "", 4).decoding.beam_size);
  call.num_alternatives = 4;
  CHECK(libretranslate_options(call, "", 4).decoding.beam_size == 5);
}

}  // namespace transformer

#include "inference/translation_answer.h"

#include "catch.h"

namespace transformer {

TEST_CASE("an answer has warnings of an empty translation and of what is unusual about the text") {
  TranslatedLine line;
  line.translations.push_back({.text = " "});
  CHECK_FALSE(answer_of(line, {}).contains("warnings"));  // the text is blank
  line.source_pieces = {"a"};
  line.remarks = {"has a tab"};
  const Json warnings = answer_of(line, {}).at("warnings");
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0] == "has a tab");
  CHECK_THAT(warnings[1].get<std::string>(), Catch::StartsWith("its translation is empty, though the text is not"));
}

}  // namespace transformer

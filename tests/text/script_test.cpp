#include "text/script.h"

#include "catch.h"

namespace transformer {

TEST_CASE("a script is named by its name, its code or a language that is written in it") {
  for (const char* name : {"Cyrillic", "Cyrl", "cyrillic", "ru", "sr"}) {
    const auto cyrillic = Script::find(name);
    REQUIRE(cyrillic);
    CHECK(cyrillic->writes("привет"));
    CHECK_FALSE(cyrillic->writes("hello"));
  }
  for (const char* name : {"", "xx", "Klingon", "en!"}) CHECK_FALSE(Script::find(name));
}

TEST_CASE("a language with several scripts is written in each of them") {
  for (const char* name : {"ja", "Jpan"}) {
    const auto japanese = Script::find(name);
    REQUIRE(japanese);
    for (const char* text : {"日本語", "ひらがな", "カタカナ"}) CHECK(japanese->writes(text));
    CHECK_FALSE(japanese->writes("한국어"));
  }
  CHECK(Script::find("zh")->writes("中文"));
  CHECK(Script::find("Hans")->writes("中文"));
}

TEST_CASE("a text is written in a script if at least half of its letters are") {
  const auto latin = Script::find("Latin");
  CHECK(latin->writes("ab вг 1 2 3"));
  CHECK_FALSE(latin->writes("ab вгд"));
  CHECK(latin->writes("123 + 4 = ☃"));
  CHECK(latin->writes(""));
  CHECK(latin->writes("\xFF z"));
}

}  // namespace transformer

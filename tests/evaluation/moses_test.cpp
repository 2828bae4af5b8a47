#include "evaluation/moses.h"

#include "catch.h"
#include "golden/evaluation/moses.h"

namespace transformer {
namespace {

TEST_CASE("Moses' words consist of letters and digits; other characters are separated") {
  CHECK(tokenize_moses("Er sagt: \"Das (neue) Haus kostet 5% mehr!\"") ==
        "Er sagt : \" Das ( neue ) Haus kostet 5 % mehr ! \"");
  CHECK(tokenize_moses("Wie geht's dem U-Bahn-Fahrer?") == "Wie geht ' s dem U-Bahn-Fahrer ?");
  CHECK(tokenize_moses(" \u00A0viel\tRaum\x01 ") == "viel Raum");
  CHECK(tokenize_moses("") == "");
}

TEST_CASE("Moses keeps a comma only between numbers") {
  CHECK(tokenize_moses("1,5 und 1, 2,a,b,") == "1,5 und 1 , 2 , a , b ,");
  CHECK(tokenize_moses("es waren 3,") == "es waren 3 ,");
}

TEST_CASE("Moses makes several periods in a row one word") {
  CHECK(tokenize_moses("Nun ja...") == "Nun ja ...");
  CHECK(tokenize_moses("Nun..so .... etc") == "Nun .. so .... etc");
}

TEST_CASE("Moses always separates a final period, and others if a sentence may end there") {
  CHECK(tokenize_moses("Das ist so. Ja usw.") == "Das ist so . Ja usw .");
  CHECK(tokenize_moses("Am 3. Mai kam Dr. Weiß z.B. nach Nr. 100. Heute nicht.") ==
        "Am 3. Mai kam Dr. Weiß z.B. nach Nr. 100 . Heute nicht .");
  CHECK(tokenize_moses("Ludwig XIV. sagt abk. und B. Brecht") == "Ludwig XIV. sagt abk. und B. Brecht");
}

TEST_CASE("Unicode punctuation becomes ASCII, except German opening quotes") {
  CHECK(replace_unicode_punctuation("„so“ ‚’ … １２％。 a，b") == "„so\" ‚' ... 12%. a,b");
}

TEST_CASE("Moses' scripts and compound splitting make the same words of unusual lines") {
  for (const auto& [line, words] : golden::kMosesLines) {
    INFO(line);
    CHECK(split_compounds(tokenize_moses(replace_unicode_punctuation(line))) == words);
  }
}

TEST_CASE("compounds are split at hyphens, at every other one if single bytes are between them") {
  CHECK(split_compounds("rich-text format - ja") == "rich ##AT##-##AT## text format - ja");
  CHECK(split_compounds("a-b-c") == "a ##AT##-##AT## b-c");
  CHECK(split_compounds("a-ä-c") == "a ##AT##-##AT## ä ##AT##-##AT## c");
  CHECK(split_compounds("x-- -y") == "x ##AT##-##AT## - -y");
}

}  // namespace
}  // namespace transformer

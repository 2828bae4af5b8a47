#include "text/letter_case.h"

#include "catch.h"

namespace transformer {

TEST_CASE("text in capitals has those of every script, and tags and placeholders as they are") {
  CHECK(to_upper("The old letter, größer als ŉ.") == "THE OLD LETTER, GRÖSSER ALS ʼN.");
  CHECK(to_upper("ещё раз · άλλο · 我想 3 · i ı") == "ЕЩЁ РАЗ · ΆΛΛΟ · 我想 3 · I I");
  CHECK(to_upper("<2de>  see <num> and <a b>") == "<2de>  SEE <num> AND <A B>");
  CHECK(to_upper("").empty());
  CHECK(to_upper(" a ") == " A ");
}

TEST_CASE("text in title case has a capital at the beginning of each word") {
  CHECK(to_title("the old letter, wasn't it? (über alles) 3rd 'quoted' ßa") ==
        "The Old Letter, Wasn't It? (Über Alles) 3rd 'Quoted' ßa");
  CHECK(to_title("<2de> ǆep НАТО ещё <num>") == "<2de> ǅep НАТО Ещё <num>");
  CHECK(to_title("").empty());
  CHECK(to_title("... - 我想") == "... - 我想");
}

}  // namespace transformer

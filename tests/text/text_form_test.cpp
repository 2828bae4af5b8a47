#include "text/text_form.h"

#include <string>
#include <vector>

#include "catch.h"

namespace transformer {
namespace {

using Warnings = std::vector<std::string>;

Warnings warnings_of(const std::vector<std::string>& lines) {
  TextForm form;
  for (const std::string& line : lines) form.add(line);
  return form.warnings("text", "it is used as it is");
}

}  // namespace

TEST_CASE("a text whose lines end in carriage returns alone gets a warning, and stray ones get none") {
  CHECK(warnings_of({"A cat.\rThe bus is late.\rIt is five.\r"}) ==
        Warnings{"text:1: has carriage returns inside of the line, the only such line (2 carriage returns); it is used "
                 "as it is: if they end lines, convert the text first, with `tr '\\r' '\\n'`"});
  CHECK(warnings_of({"a\r", "b\r\r", "c\rd\r", ""}).empty());
  CHECK(warnings_of({"a", "b\rc\rd", "e", "f"}) == warnings_of({"a", "b\rc\rd", "e", "f\r"}));
  CHECK(warnings_of({"a", "b\rc\rd", "e", "f"}).empty());
}

TEST_CASE("a text that WordPiece has split gets the command that joins the pieces") {
  const Warnings warnings = warnings_of({"the bus ##es are late", "un ##usu ##al"});
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("text:1: has ' ##', as 2 of 2 lines have") == 0);
  CHECK(warnings[0].find("`sed 's/ ##//g'`") != std::string::npos);
}

TEST_CASE("a text in columns gets a warning that says how to name a column, whatever separates them") {
  CHECK(warnings_of({"a\tb", "c", "d\te"}) ==
        Warnings{"text:1: most lines contain a tab (2 of 3); it is used as it is: if they are columns, give the file a "
                 "name that ends in .tsv and name the column, as in corpus.tsv#1"});
  CHECK(warnings_of({"a ||| b", "c ||| d"}) ==
        Warnings{"text:1: most lines contain ' ||| ' (2 of 2); it is used as it is: if they are columns, make a file "
                 "of them that ends in .tsv, with `sed 's/ ||| /\\t/g'`, and name the column, as in corpus.tsv#1"});
  CHECK(warnings_of({"a|||b", "c ||| d"}).empty());
}

}  // namespace transformer

#include "inference/candidates.h"

#include "catch.h"

namespace transformer {

TEST_CASE("candidates with more terms come first, and then those of the highest utility") {
  TranslatedLine line;
  for (const auto& [text, num_terms] : {std::pair("none", 0), {"one", 1}, {"two", 2}, {"also one", 1}}) {
    line.translations.push_back({.text = text, .num_terms = num_terms});
  }
  TranslatorOptions options;
  options.nbest = 3;
  const auto utilities = [](const std::vector<std::string>&, const std::vector<double>&, auto) {
    return std::vector<double>{0.9, 0.1, 0.2, 0.4};
  };
  choose_by_utility(line, {.mbr = 4}, options, utilities);
  REQUIRE(line.translations.size() == 3);
  CHECK(line.translations[0].text == "two");
  CHECK(line.translations[1].text == "also one");
  CHECK(line.translations[2].text == "one");
}

}  // namespace transformer

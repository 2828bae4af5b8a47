#include "inference/candidates.h"

#include "catch.h"

namespace transformer {

TEST_CASE("candidates with more terms come first, and then those of the highest utility") {
  TranslatedLine line;
  for (const auto& [text, num_terms] : {std::pair("none", 0), {"one", 1}, {"two", 2}, {"also one", 1}}) {
    line.translations.push_back(
        {.text = text, .num_terms = num_terms, .tokens = {static_cast<TokenId>(line.translations.size())}});
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

TEST_CASE("of equal candidates one is kept, though all of them count as references") {
  TranslatedLine line;
  for (const TokenId token : {5, 7, 5, 6, 5}) {
    line.translations.push_back({.text = "text " + std::to_string(token), .tokens = {token, 1}});
  }
  TranslatorOptions options{.sampling = SamplingOptions{}};
  options.nbest = 4;
  size_t num_references = 0;
  const auto utilities = [&](const std::vector<std::string>& texts, const std::vector<double>&, auto) {
    num_references = texts.size();
    return std::vector<double>{0.8, 0.3, 0.8, 0.5, 0.8};
  };
  choose_by_utility(line, {.mbr = 5}, options, utilities);
  CHECK(num_references == 5);
  REQUIRE(line.translations.size() == 3);
  CHECK(line.translations[0].text == "text 5");
  CHECK(line.translations[1].text == "text 6");
  CHECK(line.translations[2].text == "text 7");
}

}  // namespace transformer

#include "serving/served_models.h"

#include <string>
#include <utility>
#include <vector>

#include "catch.h"

namespace transformer {
namespace {

/// Models with these names, which cannot translate.
ServedModels models_with(const std::vector<std::string>& names) {
  std::vector<ServedModel> models;
  for (const std::string& name : names) models.push_back({name, nullptr});
  return ServedModels(std::move(models));
}

}  // namespace

TEST_CASE("a request without a model means the first, and the message about an unknown one names the nearest or all") {
  const ServedModels models = models_with({"en-de", "fr-it", "other"});
  CHECK(models.names() == std::vector<std::string>{"en-de", "fr-it", "other"});
  CHECK(models.named("").name == "en-de");
  CHECK(models.named("fr-it").name == "fr-it");
  CHECK_THROWS_WITH(models.named("en-dd"), "there is no model 'en-dd'; did you mean 'en-de'?");
  CHECK_THROWS_WITH(models.named("x"), "there is no model 'x'; there are en-de, fr-it and other");
}

TEST_CASE("a pair of languages means the only model with it, and auto stands for any source") {
  const ServedModels models = models_with({"en-de", "fr-de", "en-fr", "other"});
  CHECK(models.between("fr", "de").name == "fr-de");
  CHECK(models.between("auto", "fr").name == "en-fr");
  CHECK_THROWS_WITH(models.between("auto", "de"), Catch::Contains("several models translate into 'de'"));
  CHECK_THROWS_WITH(models.between("de", "en"), Catch::Contains("no model translates from 'de' to 'en'"));
  const auto pairs = models.language_pairs();
  REQUIRE(pairs.size() == 3);
  CHECK(pairs[1].source == "fr");
  CHECK(pairs[1].target == "de");
}

TEST_CASE("any languages mean the only model if its name has none, and the request tells that of its texts") {
  const ServedModels models = models_with({"default"});
  const ServedModel& model = models.between("fr", "it");
  CHECK(model.name == "default");
  CHECK(source_language(model, "fr") == "fr");
  CHECK(source_language(model, "auto").empty());
  CHECK(source_language(models_with({"en-de"}).named(""), "auto") == "en");
}

}  // namespace transformer

#include "settings/schema.h"

#include "catch.h"
#include "data/data_config.h"

namespace transformer {
namespace {

Schema schema_of_data() {
  DataConfig config;
  return Schema(fields_of("data", config));
}

}  // namespace

TEST_CASE("schema has the keys and the sections that their names imply") {
  const Schema schema = schema_of_data();
  REQUIRE(schema.find("data.max_length") != nullptr);
  CHECK(schema.find("data.max_length")->type == "whole number");
  CHECK(schema.find("data.train") == nullptr);
  CHECK(schema.has_section("data"));
  CHECK(schema.has_section("data.train"));
  CHECK_FALSE(schema.has_section("data.max_length"));
  CHECK(schema.keys_set_by("data.vocabulary") ==
        std::vector<std::string>{"data.vocabulary.source", "data.vocabulary.target"});
  CHECK(schema.keys_set_by("data.train") == std::vector<std::string>{"data.train"});
}

TEST_CASE("schema knows the lists of structs, and what their items may omit") {
  const Schema schema = schema_of_data();
  CHECK(schema.is_list("data.train"));
  CHECK_FALSE(schema.is_list("data.vocabulary"));
  const auto corpus = schema.optional_keys_of_items("data.train");
  REQUIRE(corpus.size() == 2);
  CHECK(corpus.at("weight").omitted == "1");
  CHECK(corpus.at("tag").omitted == "");
  const auto set = schema.optional_keys_of_items("data.valid");
  REQUIRE(set.size() == 1);
  CHECK(!set.at("name").omitted);
}

}  // namespace transformer

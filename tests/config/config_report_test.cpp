#include "config/config_report.h"

#include "base/json.h"
#include "catch.h"

namespace transformer {

TEST_CASE("config report lists a key a line, in columns") {
  const std::string text = format_text(config_values(Config()));
  CHECK_THAT(text, Catch::Contains("\nmodel.P_drop ") && Catch::Contains(" number, at least 0 and below 1 ") &&
                       Catch::Contains(" 0.1 ") && Catch::Contains("  validation text, target side\n"));
  CHECK(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) == config_values(Config()).size() - 1);
}

TEST_CASE("config report as JSON has values in the types of their keys") {
  const Json keys = parse_json(format_json(config_values(Config())));
  CHECK(keys.at(0) == Json{{"key", "model.N"},
                           {"type", "whole number"},
                           {"range", "from 1 to 1048576"},
                           {"nullable", false},
                           {"default", 6},
                           {"meaning", config_values(Config()).at(0).help}});

  ResolvedConfig resolved;
  resolved.config.data.train = {{{"1", "x"}, 2}, {{"b", "y"}, 0.5}};
  resolved.files = {"a.yaml", "b.yaml"};
  resolved.origins = {{"data.train.source", "b.yaml:3"}};
  const Json json = parse_json(format_json(resolved));
  CHECK(json.at("files") == Json{"a.yaml", "b.yaml"});
  const Json& values = json.at("keys");
  CHECK(values.at("data.train.source") == Json{{"value", {"1", "b"}}, {"origin", "b.yaml:3"}});
  CHECK(values.at("data.train.weight").at("value") == Json{2, 0.5});
  CHECK(values.at("training.epsilon") == Json{{"value", 1e-9}, {"origin", "default"}});
  CHECK(values.at("training.tensorboard").at("value") == true);
  CHECK(values.at("model.position").at("value") == "sinusoidal");
  CHECK(values.at("training.patience").at("value").is_null());
}

}  // namespace transformer

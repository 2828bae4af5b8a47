#include "config/key_list.h"

#include <algorithm>

#include "catch.h"
#include "config/config.h"

namespace transformer {
namespace {

KeyDescription description_of(const std::string& name) {
  const auto keys = describe_keys();
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const auto& key) { return key.name == name; });
  REQUIRE(found != keys.end());
  return *found;
}

}  // namespace

TEST_CASE("key list has the fields of the config in their order, with defaults and meanings") {
  Config config;
  const auto fields = config_fields(config);
  const auto keys = describe_keys();
  REQUIRE(keys.size() == fields.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    INFO(keys[i].name);
    CHECK(keys[i].name == fields[i].name);
    CHECK(keys[i].meaning == fields[i].help);
    CHECK(keys[i].default_value.items == fields[i].get().items);
    CHECK_FALSE(keys[i].meaning.empty());
    CHECK(keys[i].meaning.find('\n') == std::string::npos);
  }
}

TEST_CASE("key list says which values a key accepts") {
  CHECK(description_of("model.N").accepted() == "whole number, from 1 to 1048576");
  CHECK(description_of("model.d_k").accepted() == "whole number, from 1 to 1048576, or null");
  CHECK(description_of("model.P_drop").accepted() == "number, from 0 to below 1");
  CHECK(description_of("model.position").accepted() == "sinusoidal or learned");
  CHECK(description_of("data.train.source").accepted() == "list of texts");
  CHECK(description_of("data.test.source").accepted() == "text or null");
  CHECK(description_of("training.tensorboard").accepted() == "true or false");
  CHECK(description_of("training.seed").accepted() == "whole number");
  CHECK(value_text(description_of("training.seed").default_value) == "1");
  CHECK(value_text(description_of("training.patience").default_value) == "null");
  CHECK(value_text(description_of("data.train.source").default_value) == "[]");
}

TEST_CASE("key list names the types that the errors for a wrong type name") {
  Config config;
  const auto fields = config_fields(config);
  const auto keys = describe_keys();
  for (size_t i = 0; i < keys.size(); ++i) {
    INFO(keys[i].name);
    const Value wrong = keys[i].type == "text" ? Value{Value::Kind::list, {"a", "b"}} : Value::scalar("?");
    if (keys[i].type == "list of texts") {
      CHECK_NOTHROW(fields[i].set(wrong));
    } else if (keys[i].type == "list of numbers") {  // the error is about one of them
      CHECK_THROWS_WITH(fields[i].set(wrong), Catch::Contains("expected a number"));
    } else {
      CHECK_THROWS_WITH(fields[i].set(wrong), Catch::Contains(keys[i].type));
    }
    if (keys[i].nullable) CHECK_NOTHROW(fields[i].set(Value{}));
  }
}

}  // namespace transformer

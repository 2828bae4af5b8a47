#include "config/range.h"

#include <algorithm>

#include "catch.h"
#include "config/config.h"

namespace transformer {

TEST_CASE("range contains its limits only if it includes them") {
  const Range probability = {.least = 0, .most = 1, .includes_most = false};
  CHECK(probability.contains(0));
  CHECK_FALSE(probability.contains(1));
  CHECK_FALSE(probability.contains(-0.1));
  CHECK(probability.text() == "at least 0 and below 1");
  const Range positive = {.least = 0, .includes_least = false};
  CHECK_FALSE(positive.contains(0));
  CHECK(positive.contains(1e-9));
  CHECK(positive.text() == "above 0");
  const Range share = {.least = 0, .most = 1, .includes_least = false};
  CHECK(share.contains(1));
  CHECK(share.text() == "above 0 and at most 1");
  CHECK(Range{.least = 1e-20, .most = 1e9, .includes_least = false}.text() == "above 1e-20 and at most 1000000000");
  CHECK(Range{.least = 8}.text() == "at least 8");
  CHECK(Range{.least = 1, .most = 9}.text() == "from 1 to 9");
  CHECK(Range{.least = 0.98, .most = 1 << 20}.text() == "from 0.98 to 1048576");
}

TEST_CASE("range of every number contains its default, and no other key has one") {
  for (const KeyValue& key : config_values(Config())) {
    INFO(key.name);
    const Range* range = range_of(key.name);
    const bool is_number = key.type == "number" || key.type == "whole number" || key.type == "list of numbers";
    CHECK((range != nullptr) == (is_number && key.name != "training.seed"));
    if (range == nullptr) continue;
    for (const auto& number : key.value.items) CHECK(range->contains(field_types::to_number(number)));
  }
  CHECK(range_of("model.none") == nullptr);
}

TEST_CASE("what a key accepts is its type, its range and null") {
  const auto accepted = [](const std::string& name) {
    const auto keys = config_values(Config());
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; });
    REQUIRE(found != keys.end());
    return accepted_values(*found);
  };
  CHECK(accepted("model.N") == "whole number, from 1 to 1048576");
  CHECK(accepted("model.d_k") == "whole number, from 1 to 1048576, or null");
  CHECK(accepted("model.P_drop") == "number, at least 0 and below 1");
  CHECK(accepted("model.position") == "sinusoidal or learned");
  CHECK(accepted("data.train.source") == "list of strings");
  CHECK(accepted("data.test.source") == "string or null");
  CHECK(accepted("training.tensorboard") == "true or false");
  CHECK(accepted("training.seed") == "whole number");
}

}  // namespace transformer

#include "config/foreign_names.h"

#include <algorithm>
#include <set>

#include "catch.h"
#include "config/config.h"

namespace transformer {

TEST_CASE("foreign names stand for keys that exist, are no keys themselves, and are unique") {
  const auto keys = config_values(Config());
  std::set<std::string> names;
  for (const ForeignName& foreign : foreign_names()) {
    INFO(foreign.name);
    CHECK(names.insert(foreign.name).second);
    CHECK(std::any_of(keys.begin(), keys.end(), [&](const auto& key) { return key.name == foreign.key; }));
    // The suggestion of the key with the same end would come first.
    CHECK(std::none_of(keys.begin(), keys.end(),
                       [&](const auto& key) { return key.name.ends_with("." + foreign.name); }));
  }
}

TEST_CASE("foreign names include those that users of other toolkits try first") {
  std::set<std::string> names;
  for (const ForeignName& foreign : foreign_names()) names.insert(foreign.name);
  for (const char* name : {"lr",          "epochs",     "layers",        "dropout",
                           "heads",       "vocab",      "vocab_size",    "early_stopping",
                           "keep_best",   "max_tokens", "update_freq",   "label_smoothing",
                           "beam",        "lenpen",     "warmup",        "max_update",
                           "hidden_size", "ff_size",    "embedding_dim", "batch_size",
                           "clip_norm",   "fp16"}) {
    INFO(name);
    CHECK(names.contains(name));
  }
}

}  // namespace transformer

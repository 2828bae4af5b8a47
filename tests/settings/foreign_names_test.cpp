#include "settings/foreign_names.h"

#include <algorithm>
#include <set>

#include "catch.h"
#include "config/config.h"
#include "inference/request_options.h"

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

TEST_CASE("foreign names of options stand for options of requests or commands, are none themselves, and are unique") {
  std::set<std::string> options = {"prefix"}, names;
  for (const RequestOption& option : request_options()) options.insert(option.name);
  const std::set<std::string> of_commands = {"model",  "input",   "scores",  "format",  "batch_size", "precision",
                                             "device", "threads", "workers", "metrics", "sentence"};
  for (const ForeignName& foreign : foreign_options()) {
    INFO(foreign.name);
    CHECK(names.insert(normalized_name(foreign.name)).second);
    CHECK((options.contains(foreign.key) || of_commands.contains(foreign.key)));
    CHECK_FALSE((options.contains(foreign.name) || of_commands.contains(foreign.name)));
  }
}

TEST_CASE("foreign names are found with dashes and underscores, in any case") {
  CHECK(find_foreign_name(foreign_options(), "--sampling-topk")->key == "top_k");
  CHECK(find_foreign_name(foreign_options(), "Num_Beams")->key == "beam_size");
  CHECK(find_foreign_name(foreign_names(), "lenpen")->key == "decoding.alpha");
  CHECK(find_foreign_name(foreign_names(), "len") == nullptr);
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

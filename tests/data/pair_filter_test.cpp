#include "data/pair_filter.h"

#include "catch.h"

namespace transformer {
namespace {

using Places = std::vector<std::string>;

DataConfig config_with(double max_dropped) {
  DataConfig config;
  config.max_length = 10;
  config.max_length_ratio = 3.0;
  config.max_dropped = max_dropped;
  return config;
}

const DroppedPairs& of_reason(const DroppedByReason& dropped, DropReason reason) {
  return dropped[static_cast<size_t>(reason)];
}

}  // namespace

TEST_CASE("pair filter drops empty, long and uneven pairs, and knows how many and where") {
  PairFilter filter(config_with(1));
  CHECK(filter.keep(10, 4, "a", 1));
  CHECK(filter.keep(3, 9, "a", 2));
  CHECK_FALSE(filter.keep(0, 4, "a", 3));
  CHECK_FALSE(filter.keep(4, 0, "b", 1));
  CHECK_FALSE(filter.keep(4, 11, "b", 2));
  CHECK_FALSE(filter.keep(3, 10, "b", 3));
  CHECK(filter.summary() == "dropped 4 (2 empty, 1 longer than 10, 1 by ratio)");
  CHECK(of_reason(filter.dropped(), DropReason::empty).count == 2);
  CHECK(of_reason(filter.dropped(), DropReason::empty).examples == Places{"a:3", "b:1"});
  CHECK(of_reason(filter.dropped(), DropReason::too_long).examples == Places{"b:2"});
  CHECK(of_reason(filter.dropped(), DropReason::length_ratio).examples == Places{"b:3"});
  CHECK_NOTHROW(check_dropped_pairs(filter.dropped(), 6, "corpus", config_with(1)));
}

TEST_CASE("pair filter keeps a few examples of each reason") {
  PairFilter filter(config_with(1));
  for (int64_t line = 1; line <= 1000; ++line) filter.keep(0, 1, "a", line);
  const auto& [count, examples] = of_reason(filter.dropped(), DropReason::empty);
  CHECK(count == 1000);
  CHECK(examples.size() == 10);
  CHECK(examples.back() == "a:10");
}

TEST_CASE("more dropped pairs than data.max_dropped are an error, and so is a corpus without pairs") {
  const DataConfig config = config_with(0.25);
  PairFilter filter(config);
  filter.keep(0, 1, "a", 7);
  CHECK_NOTHROW(check_dropped_pairs(filter.dropped(), 4, "corpus", config));
  CHECK_THROWS_WITH(check_dropped_pairs(filter.dropped(), 3, "training corpus", config),
                    "training corpus: 1 of 3 pairs cannot be used (33.3 %): 1 empty (the first: a:7); correct the "
                    "text, or raise data.max_dropped");
  CHECK_THROWS_WITH(check_dropped_pairs(filter.dropped(), 1, "corpus", config_with(1)),
                    "corpus: 1 of 1 pair cannot be used (100.0 %): 1 empty (the first: a:7); correct the text");
}

TEST_CASE("the error about dropped pairs names the keys that keep more pairs, and no others") {
  const DataConfig config = config_with(0);
  const auto dropped = [](int64_t empty, int64_t too_long, int64_t by_ratio) {
    return DroppedByReason{{{empty, {}}, {too_long, {}}, {by_ratio, {}}}};
  };
  CHECK_THROWS_WITH(check_dropped_pairs(dropped(1, 2, 0), 4, "corpus", config),
                    Catch::EndsWith("1 empty, 2 longer than 10; correct the text, or raise data.max_length or "
                                    "data.max_dropped"));
  CHECK_THROWS_WITH(check_dropped_pairs(dropped(0, 1, 1), 4, "corpus", config),
                    Catch::EndsWith("; correct the text, or raise data.max_length, data.max_length_ratio or "
                                    "data.max_dropped"));
  CHECK_THROWS_WITH(check_dropped_pairs(dropped(2, 0, 2), 4, "corpus", config),
                    Catch::EndsWith("; correct the text, or raise data.max_length_ratio"));
}

}  // namespace transformer

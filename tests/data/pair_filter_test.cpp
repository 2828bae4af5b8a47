#include "data/pair_filter.h"

#include "base/error.h"
#include "catch.h"

namespace transformer {
namespace {

DataConfig config_with(double max_dropped) {
  DataConfig config;
  config.max_length = 10;
  config.max_length_ratio = 3.0;
  config.max_dropped = max_dropped;
  return config;
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
  CHECK(filter.num_dropped() == 4);
  CHECK(filter.summary() == "dropped 4 (2 empty, 1 longer than 10, 1 by ratio)");
  CHECK(filter.counts() == Json({{"empty", 2}, {"too_long", 1}, {"length_ratio", 1}}));
  CHECK(filter.examples() == Json({{"empty", {"a:3", "b:1"}}, {"too_long", {"b:2"}}, {"length_ratio", {"b:3"}}}));
  CHECK_NOTHROW(filter.check("corpus", 6));
}

TEST_CASE("pair filter keeps a few examples of each reason") {
  PairFilter filter(config_with(1));
  for (int64_t line = 1; line <= 1000; ++line) filter.keep(0, 1, "a", line);
  CHECK(filter.counts().at("empty") == 1000);
  CHECK(filter.examples().at("empty").size() == 10);
  CHECK(filter.examples().at("empty").back() == "a:10");
}

TEST_CASE("pair filter: more dropped pairs than data.max_dropped are an error, and so is a corpus without pairs") {
  PairFilter filter(config_with(0.25));
  filter.keep(0, 1, "a", 7);
  CHECK_NOTHROW(filter.check("corpus", 4));
  CHECK_THROWS_WITH(filter.check("training corpus", 3),
                    "training corpus: 1 of 3 pairs cannot be used (33.3 %): 1 empty (the first: a:7); correct the "
                    "text, or raise data.max_length, data.max_length_ratio or data.max_dropped");
  PairFilter of_all(config_with(1));
  of_all.keep(11, 1, "a", 1);
  CHECK_THROWS_WITH(of_all.check("validation corpus", 1),
                    Catch::EndsWith("correct the text, or raise data.max_length or data.max_length_ratio"));
}

}  // namespace transformer

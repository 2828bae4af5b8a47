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

/// A pair of so many pieces.
EncodedPair pair_of(size_t source, size_t target, int64_t line) {
  return {.line_of_file = line,
          .source = std::vector<TokenId>(source, 5),
          .target = std::vector<TokenId>(target, 5),
          .hash = static_cast<uint64_t>(line)};
}

bool keep(PairFilter& filter, size_t source, size_t target, const std::string& file, int64_t line) {
  return filter.keep(pair_of(source, target, line), {file, "translations"});
}

}  // namespace

TEST_CASE("pair filter drops empty, long and uneven pairs, and knows how many and where") {
  PairFilter filter(config_with(1));
  CHECK(keep(filter, 10, 4, "a", 1));
  CHECK(keep(filter, 3, 9, "a", 2));
  CHECK_FALSE(keep(filter, 0, 4, "a", 3));
  CHECK_FALSE(keep(filter, 4, 0, "b", 1));
  CHECK_FALSE(keep(filter, 4, 11, "b", 2));
  CHECK_FALSE(keep(filter, 3, 10, "b", 3));
  CHECK(filter.summary() == "dropped 4 (2 empty, 1 longer than 10, 1 by ratio)");
  const PairsByFault dropped = filter.account().dropped;
  CHECK(dropped[PairFault::empty].count == 2);
  CHECK(dropped[PairFault::empty].examples == Places{"a:3", "b:1"});
  CHECK(dropped[PairFault::too_long].examples == Places{"b:2"});
  CHECK(dropped[PairFault::length_ratio].examples == Places{"b:3"});
  CHECK_NOTHROW(check_dropped_pairs(dropped, 6, "corpus", config_with(1)));
}

TEST_CASE("pair filter keeps a few examples of each reason") {
  PairFilter filter(config_with(1));
  for (int64_t line = 1; line <= 1000; ++line) keep(filter, 0, 1, "a", line);
  const FaultyPairs empty = filter.account().dropped[PairFault::empty];
  CHECK(empty.count == 1000);
  CHECK(empty.examples.size() == 10);
  CHECK(empty.examples.back() == "a:10");
  CHECK(filter.account().lines() == "\n    dropped  1,000 pairs with an empty side: a:1, a:2, a:3 and 997 more");
}

TEST_CASE("pair filter drops copies and duplicates only if it is told so, and counts them in any case") {
  DataConfig config = config_with(1);
  const bool removes = GENERATE(false, true);
  config.remove_copies = config.remove_duplicates = removes;
  PairFilter filter(config);
  const auto with_hash = [](uint64_t hash, int64_t line, bool is_copy) {
    EncodedPair pair = pair_of(3, 3, line);
    pair.hash = hash;
    pair.is_copy = is_copy;
    return pair;
  };
  CHECK(filter.keep(with_hash(7, 1, false), {"a", "b"}));
  CHECK(filter.keep(with_hash(7, 2, false), {"a", "b"}) == !removes);
  CHECK(filter.keep(with_hash(8, 3, true), {"a", "b"}) == !removes);
  CHECK(filter.keep(with_hash(0, 4, false), {"a", "b"}));
  EncodedPair invalid = with_hash(9, 5, false), foreign = with_hash(10, 6, false);
  invalid.is_target_invalid = foreign.has_other_script = true;
  CHECK(filter.keep(invalid, {"a", "b"}));
  CHECK_FALSE(filter.keep(foreign, {"a", "b"}));
  filter.add_held_out("a:5");
  const PairAccount account = filter.account();
  CHECK((removes ? account.dropped : account.kept)[PairFault::duplicate].examples == Places{"a:2"});
  CHECK((removes ? account.dropped : account.kept)[PairFault::copy].examples == Places{"a:3"});
  CHECK(account.dropped[PairFault::script].examples == Places{"a:6"});
  CHECK(account.kept[PairFault::invalid_utf8].examples == Places{"b:5"});
  CHECK(account.kept[PairFault::held_out].examples == Places{"a:5"});
  CHECK(filter.summary() == (removes ? "dropped 3 (0 empty, 0 longer than 10, 0 by ratio, 1 copied, 1 repeated, 1 in "
                                       "another script)"
                                     : "dropped 1 (0 empty, 0 longer than 10, 0 by ratio, 1 in another script)"));
  const std::string lines = account.lines();
  CHECK_THAT(lines,
             Catch::Contains(removes ? "\n    dropped  1 pair that occurred before: a:2"
                                     : "\n    kept     1 pair that occurred before (data.remove_duplicates drops "
                                       "them): a:2"));
  CHECK_THAT(lines, Catch::Contains("\n    kept     1 pair found in the validation or test text, too"));
}

TEST_CASE("dropped duplicates and copies do not count for data.max_dropped, unless nothing is left") {
  PairsByFault dropped;
  dropped[PairFault::duplicate].count = 50;
  dropped[PairFault::copy].count = 20;
  CHECK_NOTHROW(check_dropped_pairs(dropped, 100, "corpus", config_with(0)));
  CHECK_THROWS_WITH(check_dropped_pairs(dropped, 70, "corpus", config_with(1)),
                    Catch::StartsWith("corpus: 70 of 70 pairs cannot be used (100.0 %): 20 copied, 50 repeated"));
  dropped[PairFault::script].count = 2;
  CHECK_THROWS_WITH(check_dropped_pairs(dropped, 100, "corpus", config_with(0.01)),
                    Catch::StartsWith("corpus: 2 of 100 pairs cannot be used (2.0 %): "));
}

TEST_CASE("more dropped pairs than data.max_dropped are an error, and so is a corpus without pairs") {
  const DataConfig config = config_with(0.25);
  PairFilter filter(config);
  keep(filter, 0, 1, "a", 7);
  CHECK_NOTHROW(check_dropped_pairs(filter.account().dropped, 4, "corpus", config));
  CHECK_THROWS_WITH(check_dropped_pairs(filter.account().dropped, 3, "training corpus", config),
                    "training corpus: 1 of 3 pairs cannot be used (33.3 %): 1 empty (the first: a:7); correct the "
                    "text, or raise data.max_dropped");
  CHECK_THROWS_WITH(check_dropped_pairs(filter.account().dropped, 1, "corpus", config_with(1)),
                    "corpus: 1 of 1 pair cannot be used (100.0 %): 1 empty (the first: a:7); correct the text");
}

TEST_CASE("the error about dropped pairs names the keys that keep more pairs, and no others") {
  const DataConfig config = config_with(0);
  const auto dropped = [](int64_t empty, int64_t too_long, int64_t by_ratio) {
    PairsByFault pairs;
    pairs[PairFault::empty].count = empty;
    pairs[PairFault::too_long].count = too_long;
    pairs[PairFault::length_ratio].count = by_ratio;
    return pairs;
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

#include "data/pair_length.h"

#include <algorithm>
#include <set>

#include "catch.h"
#include "corpora.h"

namespace transformer {

TEST_CASE("the longest pairs come longest first, at most as many as requested") {
  const FormulaCorpus corpus(100, 30, 12);
  const auto length = [&](const PairLength& pair) { return (*corpus)[pair.index].target.size(); };
  const auto some = longest_pairs(*corpus, 10);
  REQUIRE(some.size() == 10);
  CHECK(length(some[0]) == 12);
  for (size_t i = 1; i < some.size(); ++i) CHECK(length(some[i]) <= length(some[i - 1]));
  const auto all = longest_pairs(*corpus, 1000);
  std::set<int64_t> indices;
  for (const PairLength& pair : all) indices.insert(pair.index);
  CHECK(indices.size() == 100);
  const auto same = [](const PairLength& a, const PairLength& b) { return a.index == b.index; };
  CHECK(std::equal(some.begin(), some.end(), all.begin(), same));
}

}  // namespace transformer

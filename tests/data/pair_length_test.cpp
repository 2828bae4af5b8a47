#include "data/pair_length.h"

#include <algorithm>
#include <set>

#include "catch.h"
#include "corpora.h"

namespace transformer {

TEST_CASE("the longest pairs come longest first, at most as many as requested") {
  const FormulaCorpus corpus(100, 30, 12);
  const auto length = [&](int64_t pair) { return (*corpus)[pair].target.size(); };
  const auto some = longest_pairs(*corpus, 10);
  REQUIRE(some.size() == 10);
  CHECK(length(some[0]) == 12);
  for (size_t i = 1; i < some.size(); ++i) CHECK(length(some[i]) <= length(some[i - 1]));
  const auto all = longest_pairs(*corpus, 1000);
  CHECK(std::set<int64_t>(all.begin(), all.end()).size() == 100);
  CHECK(std::equal(some.begin(), some.end(), all.begin()));
}

}  // namespace transformer
